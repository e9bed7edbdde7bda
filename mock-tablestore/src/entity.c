/*
 * entity.c
 *	  The stored form of an entity, its limits, and merging.
 *
 * Knows neither JSON nor SQLite.  Called by entity_op.c for writes and by
 * render.c and filter_eval.c for reads.  Easy to break: a change of the
 * blob's layout makes --data files unreadable (bump STORE_VERSION).
 */
#include "entity.h"

#include "encode.h"

#define BLOB_HEADER 14

int64_t
blob_ticks(Span blob)
{
	int64_t		ticks;

	memcpy(&ticks, blob.p, 8);
	return ticks;
}

void
blob_open(BlobReader *r, Span blob)
{
	uint16_t	count;

	memcpy(&r->ticks, blob.p, 8);
	memcpy(&count, blob.p + 12, 2);
	r->left = count;
	r->next = blob.p + BLOB_HEADER;
}

bool
blob_next(BlobReader *r, Span *name, Value *value)
{
	const char *p = r->next;
	uint16_t	name_len;
	uint32_t	len;
	int32_t		i32;

	if (r->left == 0)
		return false;
	r->left--;
	value->type = (ValueType) *p;
	memcpy(&name_len, p + 1, 2);
	*name = (Span) {p + 3, name_len};
	p += 3 + name_len;
	switch (value->type)
	{
		case VT_STRING:
		case VT_BINARY:
			memcpy(&len, p, 4);
			value->bytes = (Span) {p + 4, len};
			p += 4 + len;
			break;
		case VT_INT32:
			memcpy(&i32, p, 4);
			value->i64 = i32;
			p += 4;
			break;
		case VT_INT64:
		case VT_DATETIME:
		case VT_DOUBLE:
			memcpy(&value->i64, p, 8);
			p += 8;
			break;
		case VT_BOOL:
			value->b = *p++ != 0;
			break;
		case VT_GUID:
			memcpy(value->guid, p, 16);
			p += 16;
			break;
	}
	r->next = p;
	return true;
}

static bool
forbidden_in_key(Span key)
{
	for (size_t i = 0; i < key.n; i++)
	{
		unsigned char c = (unsigned char) key.p[i];

		if (c < 0x20 || c == 0x7F || c == '/' || c == '\\' || c == '#' ||
			c == '?')
			return true;
		if (c == 0xC2 && (unsigned char) key.p[i + 1] < 0xA0)
			return true;		/* U+0080 to U+009F */
	}
	return false;
}

/* Is this a legal key?  which names it in the message. */
ErrCode
key_check(Span key, const char *which, Arena *a, const char **detail)
{
	size_t		units;

	if (!utf16_length(key, &units))
		return ERR_INVALID_INPUT;
	if (units > MAX_KEY_UNITS)
		return ERR_KEY_TOO_LARGE;
	if (forbidden_in_key(key))
	{
		*detail = arena_printf(a, "The '%s' parameter of value '%.*s' is out "
							   "of range.", which, (int) key.n, key.p);
		return ERR_OUT_OF_RANGE;
	}
	return ERR_NONE;
}

/* What the service counts for a value; *blob_bytes is what we store. */
static size_t
value_size(const Value *v, size_t *blob_bytes)
{
	size_t		units = 0;

	switch (v->type)
	{
		case VT_STRING:
			utf16_length(v->bytes, &units);
			*blob_bytes = 4 + v->bytes.n;
			return units * 2 + 4;
		case VT_BINARY:
			*blob_bytes = 4 + v->bytes.n;
			return v->bytes.n + 4;
		case VT_INT32:
			return *blob_bytes = 4;
		case VT_INT64:
		case VT_DATETIME:
		case VT_DOUBLE:
			return *blob_bytes = 8;
		case VT_GUID:
			return *blob_bytes = 16;
		case VT_BOOL:
			break;
	}
	return *blob_bytes = 1;
}

static char *
put_value(char *p, const Value *v)
{
	uint32_t	len;
	int32_t		i32;

	switch (v->type)
	{
		case VT_STRING:
		case VT_BINARY:
			len = (uint32_t) v->bytes.n;
			memcpy(p, &len, 4);
			if (len)
				memcpy(p + 4, v->bytes.p, len);
			return p + 4 + len;
		case VT_INT32:
			i32 = (int32_t) v->i64;
			memcpy(p, &i32, 4);
			return p + 4;
		case VT_INT64:
		case VT_DATETIME:
		case VT_DOUBLE:
			memcpy(p, &v->i64, 8);
			return p + 8;
		case VT_GUID:
			memcpy(p, v->guid, 16);
			return p + 16;
		case VT_BOOL:
			break;
	}
	*p = v->b;
	return p + 1;
}

/*
 * Make the blob; ERR_* when the entity is too large or has too many
 * properties.  key_bytes is the UTF-8 length of both keys together, a lower
 * bound good enough for a limit of 1 MiB.
 */
ErrCode
entity_encode(Arena *a, const Entity *e, size_t key_bytes, int64_t ticks,
			  Span *blob)
{
	size_t		bytes = BLOB_HEADER;
	size_t		size = 0;
	uint32_t	size32;
	uint16_t	count = 0;
	char	   *start;
	char	   *p;

	for (int i = 0; i < e->nprops; i++)
	{
		size_t		value_bytes;
		size_t		name_units = 0;

		if (e->props[i].is_null)
			continue;
		utf16_length(e->props[i].name, &name_units);
		size += 8 + name_units * 2 + value_size(&e->props[i].value,
												&value_bytes);
		bytes += 3 + e->props[i].name.n + value_bytes;
		count++;
	}
	if (count > MAX_PROPERTIES)
		return ERR_TOO_MANY_PROPERTIES;
	if (size + key_bytes * 2 + 4 > MAX_ENTITY_BYTES)
		return ERR_ENTITY_TOO_LARGE;
	start = p = arena_alloc(a, bytes);
	size32 = (uint32_t) size;
	memcpy(p, &ticks, 8);
	memcpy(p + 8, &size32, 4);
	memcpy(p + 12, &count, 2);
	p += BLOB_HEADER;
	for (int i = 0; i < e->nprops; i++)
	{
		const Property *prop = &e->props[i];
		uint16_t	name_len = (uint16_t) prop->name.n;

		if (prop->is_null)
			continue;
		*p = (char) prop->value.type;
		memcpy(p + 1, &name_len, 2);
		memcpy(p + 3, prop->name.p, name_len);
		p = put_value(p + 3 + name_len, &prop->value);
	}
	*blob = (Span) {start, bytes};
	return ERR_NONE;
}

/* The stored entity with patch laid over it; null and absent keep the old. */
ErrCode
entity_merge(Arena *a, Span old, const Entity *patch, size_t key_bytes,
			 int64_t ticks, Span *blob)
{
	Entity		merged = {0};
	BlobReader	r;
	Property	prop = {0};

	blob_open(&r, old);
	merged.props = arena_alloc(a, sizeof(Property) *
							   (size_t) (r.left + patch->nprops));
	while (blob_next(&r, &prop.name, &prop.value))
		merged.props[merged.nprops++] = prop;
	for (int i = 0; i < patch->nprops; i++)
	{
		int			at = 0;

		if (patch->props[i].is_null)
			continue;
		while (at < merged.nprops &&
			   !span_eq(merged.props[at].name, patch->props[i].name))
			at++;
		if (at == merged.nprops)
			merged.nprops++;
		merged.props[at] = patch->props[i];
	}
	return entity_encode(a, &merged, key_bytes, ticks, blob);
}
