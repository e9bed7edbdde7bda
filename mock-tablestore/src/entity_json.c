/*
 * entity_json.c
 *	  From the JSON body of a write to an Entity, with every type checked.
 *
 * yajl hands over numbers as text, which is the only way to tell 3.0 (a
 * Double) from 3 (an Int32).  Annotations ("X@odata.type") may come before
 * or after their property, so members are collected first and typed later.
 * Easy to break: Timestamp and odata.* are the server's, sent or not.
 */
#include "entity.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <yajl/yajl_parse.h>

#include "encode.h"
#include "timestamp.h"

/* Far more than the limit: enough to answer TooManyProperties. */
#define MAX_MEMBERS 2048

typedef enum MemberKind
{
	MEMBER_NULL,
	MEMBER_BOOL,
	MEMBER_NUMBER,
	MEMBER_STRING
} MemberKind;

typedef struct Member
{
	Span		name;
	MemberKind	kind;
	Span		text;			/* of a number or string */
	bool		b;				/* of a bool */
} Member;

typedef struct Reader
{
	Arena	   *arena;
	Member	   *members;		/* properties */
	int			nmembers;
	Member	   *types;			/* X@odata.type, name being X */
	int			ntypes;
	int			cap;			/* of both arrays */
	Span		name;			/* the key read last */
	int			depth;
	int			skip_depth;		/* inside the value of an odata.* member */
	ErrCode		err;
} Reader;

static bool
ends_with(Span s, Span suffix)
{
	return s.n >= suffix.n &&
		memcmp(s.p + s.n - suffix.n, suffix.p, suffix.n) == 0;
}

static void
grow(Reader *r)
{
	int			cap = r->cap ? r->cap * 4 : 32;
	Member	   *members = arena_alloc(r->arena, sizeof(Member) * (size_t) cap);
	Member	   *types = arena_alloc(r->arena, sizeof(Member) * (size_t) cap);

	if (r->nmembers)
		memcpy(members, r->members, sizeof(Member) * (size_t) r->nmembers);
	if (r->ntypes)
		memcpy(types, r->types, sizeof(Member) * (size_t) r->ntypes);
	r->members = members;
	r->types = types;
	r->cap = cap;
}

/* One member of the top object; decides what kind of member it is. */
static int
add(Reader *r, MemberKind kind, Span text, bool b)
{
	Member		m = {r->name, kind, text, b};
	Span		suffix = SPAN("@odata.type");

	if (r->depth != 1)
	{
		r->err = r->skip_depth ? ERR_NONE : ERR_INVALID_INPUT;
		return r->err == ERR_NONE;
	}
	if (span_starts(m.name, SPAN("odata.")))
		return 1;
	if (r->nmembers >= MAX_MEMBERS || r->ntypes >= MAX_MEMBERS)
	{
		r->err = ERR_TOO_MANY_PROPERTIES;
		return 0;
	}
	if (r->nmembers == r->cap || r->ntypes == r->cap)
		grow(r);
	m.text = arena_span(r->arena, text);
	if (ends_with(m.name, suffix))
	{
		m.name.n -= suffix.n;
		r->types[r->ntypes++] = m;
	}
	else if (memchr(m.name.p, '@', m.name.n) == NULL)
		r->members[r->nmembers++] = m;
	return 1;
}

static int
on_null(void *ctx)
{
	return add(ctx, MEMBER_NULL, SPAN(""), false);
}

static int
on_boolean(void *ctx, int value)
{
	return add(ctx, MEMBER_BOOL, SPAN(""), value != 0);
}

static int
on_number(void *ctx, const char *text, size_t n)
{
	return add(ctx, MEMBER_NUMBER, (Span) {text, n}, false);
}

static int
on_string(void *ctx, const unsigned char *text, size_t n)
{
	return add(ctx, MEMBER_STRING, (Span) {(const char *) text, n}, false);
}

static int
on_key(void *ctx, const unsigned char *text, size_t n)
{
	Reader	   *r = ctx;

	if (r->depth == 1)
		r->name = arena_span(r->arena, (Span) {(const char *) text, n});
	return 1;
}

/* Only odata.* members may hold objects or arrays; those are skipped. */
static int
on_open(void *ctx)
{
	Reader	   *r = ctx;

	if (r->depth == 1 && !r->skip_depth &&
		span_starts(r->name, SPAN("odata.")))
		r->skip_depth = 1;
	else if (r->depth >= 1 && !r->skip_depth)
	{
		r->err = ERR_INVALID_INPUT;
		return 0;
	}
	r->depth++;
	return 1;
}

static int
on_close(void *ctx)
{
	Reader	   *r = ctx;

	if (--r->depth == 1)
		r->skip_depth = 0;
	return 1;
}

/* An array at the top is no entity. */
static int
on_open_array(void *ctx)
{
	Reader	   *r = ctx;

	if (r->depth == 0)
	{
		r->err = ERR_INVALID_INPUT;
		return 0;
	}
	return on_open(ctx);
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_open,
	.yajl_map_key = on_key,
	.yajl_end_map = on_close,
	.yajl_start_array = on_open_array,
	.yajl_end_array = on_close,
};

static bool
parse_integer(Span text, int64_t low, int64_t high, int64_t *value)
{
	char	   *end;

	if (text.n == 0 || text.n > 20)
		return false;
	if (!(text.p[0] == '-' || (text.p[0] >= '0' && text.p[0] <= '9')))
		return false;
	errno = 0;
	*value = strtoll(text.p, &end, 10);
	return errno == 0 && end == text.p + text.n && *value >= low &&
		*value <= high;
}

static bool
parse_double(const Member *m, double *value)
{
	char	   *end;

	if (m->kind == MEMBER_STRING)
	{
		if (span_eq(m->text, SPAN("NaN")))
			*value = NAN;
		else if (span_eq(m->text, SPAN("Infinity")) ||
				 span_eq(m->text, SPAN("INF")))
			*value = INFINITY;
		else if (span_eq(m->text, SPAN("-Infinity")) ||
				 span_eq(m->text, SPAN("-INF")))
			*value = -INFINITY;
		else if (m->text.n == 0 ||
				 strspn(m->text.p, "+-.0123456789eE") != m->text.n)
			return false;
		else
		{
			*value = strtod(m->text.p, &end);
			return *end == '\0' && isfinite(*value);
		}
		return true;
	}
	*value = strtod(m->text.p, &end);
	return m->kind == MEMBER_NUMBER && isfinite(*value);
}

/* A member without annotation: the JSON type decides. */
static ErrCode
type_from_json(const Member *m, Value *v)
{
	switch (m->kind)
	{
		case MEMBER_BOOL:
			v->type = VT_BOOL;
			v->b = m->b;
			break;
		case MEMBER_STRING:
			v->type = VT_STRING;
			v->bytes = m->text;
			break;
		case MEMBER_NUMBER:
			if (strpbrk(m->text.p, ".eE") == NULL &&
				parse_integer(m->text, INT32_MIN, INT32_MAX, &v->i64))
			{
				v->type = VT_INT32;
				break;
			}
			v->type = VT_DOUBLE;
			return parse_double(m, &v->f64) ? ERR_NONE : ERR_INVALID_INPUT;
		case MEMBER_NULL:
			break;
	}
	return ERR_NONE;
}

static ErrCode
type_from_name(Arena *a, Span type, const Member *m, Value *v)
{
	bool		is_string = m->kind == MEMBER_STRING;
	bool		ok = false;

	if (span_eq(type, SPAN("Edm.String")))
	{
		v->type = VT_STRING;
		v->bytes = m->text;
		ok = is_string;
	}
	else if (span_eq(type, SPAN("Edm.Int32")))
	{
		v->type = VT_INT32;
		ok = m->kind == MEMBER_NUMBER &&
			parse_integer(m->text, INT32_MIN, INT32_MAX, &v->i64);
	}
	else if (span_eq(type, SPAN("Edm.Int64")))
	{
		v->type = VT_INT64;
		ok = m->kind >= MEMBER_NUMBER &&
			parse_integer(m->text, INT64_MIN, INT64_MAX, &v->i64);
	}
	else if (span_eq(type, SPAN("Edm.Double")))
	{
		v->type = VT_DOUBLE;
		ok = parse_double(m, &v->f64);
	}
	else if (span_eq(type, SPAN("Edm.Boolean")))
	{
		v->type = VT_BOOL;
		v->b = m->b;
		ok = m->kind == MEMBER_BOOL;
	}
	else if (span_eq(type, SPAN("Edm.DateTime")))
	{
		v->type = VT_DATETIME;
		ok = is_string && timestamp_parse(m->text, &v->i64);
		if (ok && v->i64 < TICKS_1601)
			return ERR_OUT_OF_RANGE;
	}
	else if (span_eq(type, SPAN("Edm.Guid")))
	{
		v->type = VT_GUID;
		ok = is_string && guid_parse(m->text, v->guid);
	}
	else if (span_eq(type, SPAN("Edm.Binary")))
	{
		v->type = VT_BINARY;
		ok = is_string && base64_decode(a, m->text, &v->bytes);
	}
	else
		return ERR_INVALID_VALUE_TYPE;
	return ok ? ERR_NONE : ERR_INVALID_INPUT;
}

/* A C# identifier, at most 255 characters; letters beyond ASCII are taken. */
static ErrCode
check_name(Span name)
{
	size_t		units;

	if (!utf16_length(name, &units) || name.n == 0)
		return ERR_PROPERTY_NAME_INVALID;
	if (units > MAX_NAME_UNITS)
		return ERR_PROPERTY_NAME_TOO_LONG;
	for (size_t i = 0; i < name.n; i++)
	{
		unsigned char c = (unsigned char) name.p[i];
		bool		letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			c == '_' || c >= 0x80;

		if (!letter && !(i > 0 && c >= '0' && c <= '9'))
			return ERR_PROPERTY_NAME_INVALID;
	}
	return ERR_NONE;
}

static ErrCode
check_value(const Value *v)
{
	size_t		units = 0;

	if (v->type == VT_BINARY && v->bytes.n > MAX_VALUE_BYTES)
		return ERR_PROPERTY_VALUE_TOO_LARGE;
	if (v->type == VT_STRING && v->bytes.n > MAX_VALUE_BYTES / 2)
	{
		utf16_length(v->bytes, &units);
		if (units > MAX_VALUE_BYTES / 2)
			return ERR_PROPERTY_VALUE_TOO_LARGE;
	}
	return ERR_NONE;
}

/* PartitionKey or RowKey out of the body. */
static ErrCode
take_key(Reader *r, const Member *m, const char *which, Span *key,
		 bool *has_key, const char **detail)
{
	if (m->kind == MEMBER_NULL)
		return ERR_PROPERTIES_NEED_VALUE;
	if (m->kind != MEMBER_STRING)
		return ERR_INVALID_INPUT;
	*key = m->text;
	*has_key = true;
	return key_check(m->text, which, r->arena, detail);
}

static ErrCode
add_property(Reader *r, Entity *e, const Member *m)
{
	Property   *prop = &e->props[e->nprops];
	const Member *type = NULL;
	ErrCode		err = check_name(m->name);

	for (int i = 0; i < r->ntypes && type == NULL; i++)
	{
		if (span_eq(r->types[i].name, m->name))
			type = &r->types[i];
	}
	prop->name = m->name;
	prop->is_null = m->kind == MEMBER_NULL;
	if (err == ERR_NONE && !prop->is_null)
		err = type == NULL ? type_from_json(m, &prop->value) :
			type_from_name(r->arena, type->text, m, &prop->value);
	if (err == ERR_NONE && !prop->is_null)
		err = check_value(&prop->value);
	e->nprops++;
	return err;
}

static ErrCode
assemble(Reader *r, Entity *e, const char **detail)
{
	ErrCode		err = ERR_NONE;

	e->props = arena_zalloc(r->arena,
							sizeof(Property) * (size_t) (r->nmembers + 1));
	for (int i = 0; i < r->nmembers && err == ERR_NONE; i++)
	{
		const Member *m = &r->members[i];

		for (int j = 0; j < i; j++)
		{
			if (span_eq(r->members[j].name, m->name))
				return ERR_DUPLICATE_PROPERTIES;
		}
		if (span_eq(m->name, SPAN("PartitionKey")))
			err = take_key(r, m, "PartitionKey", &e->pk, &e->has_pk, detail);
		else if (span_eq(m->name, SPAN("RowKey")))
			err = take_key(r, m, "RowKey", &e->rk, &e->has_rk, detail);
		else if (!span_eq(m->name, SPAN("Timestamp")))
			err = add_property(r, e, m);
	}
	return err;
}

ErrCode
entity_from_json(Arena *a, Span body, Entity *e, const char **detail)
{
	Reader		r = {.arena = a};
	yajl_handle h = yajl_alloc(&callbacks, NULL, &r);
	yajl_status status;

	memset(e, 0, sizeof(*e));
	status = yajl_parse(h, (const unsigned char *) body.p, body.n);
	if (status == yajl_status_ok)
		status = yajl_complete_parse(h);
	yajl_free(h);
	if (r.err != ERR_NONE)
		return r.err;
	if (status != yajl_status_ok || body.n == 0)
		return ERR_INVALID_INPUT;
	return assemble(&r, e, detail);
}
