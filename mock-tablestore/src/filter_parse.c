/*
 * filter_parse.c
 *	  From the text of $filter to a tree.
 *
 * Grammar: or < and < not < comparison; a comparison has one property and
 * one literal, on either side.  Functions and arithmetic are NotImplemented,
 * anything else (null, two properties, a lone property) is InvalidInput.
 * Easy to break: nesting is bounded because evaluation recurses.
 */
#include "filter.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "encode.h"
#include "timestamp.h"

#define MAX_DEPTH 200

typedef enum TokenKind
{
	TOKEN_END,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_WORD,					/* identifier or keyword */
	TOKEN_LITERAL,
	TOKEN_BAD
} TokenKind;

typedef struct Parser
{
	Arena	   *arena;
	Filter	   *filter;
	Span		text;			/* all of it */
	Span		rest;			/* text after the current token */
	TokenKind	kind;			/* current token */
	Span		word;			/* of TOKEN_WORD */
	Value		literal;		/* of TOKEN_LITERAL */
	int			depth;
	const char *detail;			/* what was wrong */
	ErrCode		err;			/* with it, or ERR_NONE */
} Parser;

static bool
is_word_char(char ch)
{
	unsigned char c = (unsigned char) ch;

	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		(c >= '0' && c <= '9') || c == '_' || c >= 0x80;
}

static void
bad_token(Parser *p, const char *why)
{
	p->kind = TOKEN_BAD;
	p->err = ERR_INVALID_INPUT;
	p->detail = arena_printf(p->arena, "One of the request inputs is not "
							 "valid. %s", why);
}

/* The quoted text at rest (which starts with a quote), '' undoubled. */
static bool
read_quoted(Parser *p, Span *out)
{
	Span		s = span_skip(p->rest, 1);
	char	   *to = arena_alloc(p->arena, s.n + 1);
	size_t		n = 0;

	while (s.n > 0)
	{
		if (s.p[0] == '\'')
		{
			if (s.n < 2 || s.p[1] != '\'')
			{
				p->rest = span_skip(s, 1);
				to[n] = '\0';
				*out = (Span) {to, n};
				return true;
			}
			s = span_skip(s, 1);
		}
		to[n++] = s.p[0];
		s = span_skip(s, 1);
	}
	bad_token(p, "Unterminated string literal.");
	return false;
}

/* datetime'..', guid'..', X'..', binary'..'; the prefix is p->word. */
static void
read_typed(Parser *p)
{
	Span		prefix = p->word;
	Span		text;
	Value	   *v = &p->literal;
	bool		ok = false;

	if (!read_quoted(p, &text))
		return;
	p->kind = TOKEN_LITERAL;
	if (span_eq(prefix, SPAN("datetime")))
	{
		v->type = VT_DATETIME;
		ok = timestamp_parse(text, &v->i64);
	}
	else if (span_eq(prefix, SPAN("guid")))
	{
		v->type = VT_GUID;
		ok = guid_parse(text, v->guid);
	}
	else if (span_eq(prefix, SPAN("X")) || span_eq(prefix, SPAN("binary")))
	{
		v->type = VT_BINARY;
		ok = hex_decode(p->arena, text, &v->bytes);
	}
	if (!ok)
		bad_token(p, arena_printf(p->arena, "Unrecognized literal "
								  "%.*s'%.*s'.", (int) prefix.n, prefix.p,
								  (int) text.n, text.p));
}

/* Value of a number's text; the suffix or a point decides the type. */
static bool
number_value(Arena *a, Span text, Value *v)
{
	char	   *s = arena_strdup(a, text);
	char		last = s[text.n - 1];
	char	   *end;

	errno = 0;
	if (last == 'L' || last == 'l')
	{
		v->type = VT_INT64;
		v->i64 = strtoll(s, &end, 10);
		return errno == 0 && end == s + text.n - 1 && end != s;
	}
	if (strpbrk(s, ".eEdD") == NULL)
	{
		v->type = VT_INT32;
		v->i64 = strtoll(s, &end, 10);
		return errno == 0 && *end == '\0' && v->i64 >= INT32_MIN &&
			v->i64 <= INT32_MAX;
	}
	if (last == 'd' || last == 'D')
		s[text.n - 1] = '\0';
	v->type = VT_DOUBLE;
	v->f64 = strtod(s, &end);
	return end != s && *end == '\0' && isfinite(v->f64) &&
		strpbrk(s, "xXpPnN") == NULL;
}

static void
read_number(Parser *p)
{
	Span		s = p->rest;
	size_t		n = 1;

	while (n < s.n && (is_word_char(s.p[n]) || s.p[n] == '.' ||
					   ((s.p[n] == '+' || s.p[n] == '-') &&
						(s.p[n - 1] == 'e' || s.p[n - 1] == 'E'))))
		n++;
	p->kind = TOKEN_LITERAL;
	p->rest = span_skip(s, n);
	if (n == 4 && memcmp(s.p, "-INF", 4) == 0)
	{
		p->literal.type = VT_DOUBLE;
		p->literal.f64 = -INFINITY;
	}
	else if (!number_value(p->arena, (Span) {s.p, n}, &p->literal))
		bad_token(p, arena_printf(p->arena, "Unrecognized 'Edm.Int32' literal "
								  "'%.*s'.", (int) n, s.p));
}

/* true, false, NaN and INF are literals though they look like names. */
static void
read_word(Parser *p)
{
	Value	   *v = &p->literal;
	size_t		n = 0;

	while (n < p->rest.n && is_word_char(p->rest.p[n]))
		n++;
	p->word = (Span) {p->rest.p, n};
	p->rest = span_skip(p->rest, n);
	p->kind = TOKEN_LITERAL;
	if (p->rest.n > 0 && p->rest.p[0] == '\'')
		read_typed(p);
	else if (span_eq(p->word, SPAN("true")) || span_eq(p->word, SPAN("false")))
	{
		v->type = VT_BOOL;
		v->b = p->word.n == 4;
	}
	else if (span_eq(p->word, SPAN("NaN")) || span_eq(p->word, SPAN("INF")))
	{
		v->type = VT_DOUBLE;
		v->f64 = p->word.p[0] == 'N' ? NAN : INFINITY;
	}
	else if (span_eq(p->word, SPAN("null")))
		bad_token(p, "There is no null literal.");
	else
		p->kind = TOKEN_WORD;
}

static void
next_token(Parser *p)
{
	char		c;

	p->rest = span_trim(p->rest);
	if (p->rest.n == 0)
	{
		p->kind = TOKEN_END;
		return;
	}
	c = p->rest.p[0];
	if (c == '(' || c == ')')
	{
		p->kind = c == '(' ? TOKEN_OPEN : TOKEN_CLOSE;
		p->rest = span_skip(p->rest, 1);
	}
	else if (c == '\'')
	{
		p->kind = TOKEN_LITERAL;
		p->literal.type = VT_STRING;
		read_quoted(p, &p->literal.bytes);
	}
	else if (c == '-' || (c >= '0' && c <= '9'))
		read_number(p);
	else if (is_word_char(c))
		read_word(p);
	else
		bad_token(p, arena_printf(p->arena, "Syntax error at '%c'.", c));
}

/* The current token, which ends at the position told, does not fit. */
static FilterNode *
fail(Parser *p, const char *why)
{
	if (p->err != ERR_NONE)
		return NULL;
	p->kind = TOKEN_BAD;
	p->err = ERR_INVALID_INPUT;
	p->detail = arena_printf(p->arena, "Syntax error at position %zu in "
							 "'%.*s'. %s", p->text.n - p->rest.n,
							 (int) p->text.n, p->text.p, why);
	return NULL;
}

/* What OData has and the service does not. */
static FilterNode *
not_implemented(Parser *p)
{
	if (p->err == ERR_NONE)
	{
		p->kind = TOKEN_BAD;
		p->err = ERR_NOT_IMPLEMENTED;
	}
	return NULL;
}

static bool
is_arithmetic(Span word)
{
	static const char *const names[] = {"add", "sub", "mul", "div", "mod"};

	for (int i = 0; i < 5; i++)
	{
		if (span_eq(word, span_of(names[i])))
			return true;
	}
	return false;
}

static FilterNode *
new_node(Parser *p, FilterKind kind, FilterNode *left, FilterNode *right)
{
	FilterNode *node = arena_zalloc(p->arena, sizeof(*node));

	node->kind = kind;
	node->left = left;
	node->right = right;
	return node;
}

static int
slot_of(Parser *p, Span name)
{
	Filter	   *f = p->filter;

	if (span_eq(name, SPAN("PartitionKey")))
		return SLOT_PK;
	if (span_eq(name, SPAN("RowKey")))
		return SLOT_RK;
	if (span_eq(name, SPAN("Timestamp")))
		return SLOT_TIMESTAMP;
	for (int i = 0; i < f->nslots; i++)
	{
		if (span_eq(f->names[i], name))
			return i;
	}
	if (f->nslots == f->cap)
	{
		Span	   *names;

		f->cap = f->cap ? f->cap * 2 : 8;
		names = arena_alloc(p->arena, sizeof(Span) * (size_t) f->cap);
		if (f->nslots)
			memcpy(names, f->names, sizeof(Span) * (size_t) f->nslots);
		f->names = names;
	}
	f->names[f->nslots] = name;
	return f->nslots++;
}

static bool
operator_of(Span word, CmpOp *op)
{
	static const char names[] = "eqnegtgeltle";

	if (word.n != 2)
		return false;
	for (int i = 0; i < 6; i++)
	{
		if (memcmp(names + i * 2, word.p, 2) == 0)
		{
			*op = (CmpOp) i;
			return true;
		}
	}
	return false;
}

/* 5 lt a is a gt 5 */
static CmpOp
mirrored(CmpOp op)
{
	static const CmpOp mirror[] = {CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT,
	CMP_GE};

	return mirror[op];
}

static FilterNode *
parse_comparison(Parser *p)
{
	FilterNode *node = new_node(p, FILTER_CMP, NULL, NULL);
	bool		literal_first = p->kind == TOKEN_LITERAL;
	Span		name = p->word;
	Value		literal = p->literal;

	next_token(p);
	if ((p->kind == TOKEN_OPEN && !literal_first) ||
		(p->kind == TOKEN_WORD && is_arithmetic(p->word)))
		return not_implemented(p);
	if (p->kind != TOKEN_WORD || !operator_of(p->word, &node->op))
		return fail(p, "A comparison operator was expected.");
	next_token(p);
	if (literal_first && p->kind == TOKEN_WORD)
	{
		name = p->word;
		node->op = mirrored(node->op);
	}
	else if (!literal_first && p->kind == TOKEN_LITERAL)
		literal = p->literal;
	else
		return fail(p, "A comparison needs one property and one constant.");
	next_token(p);
	if ((p->kind == TOKEN_OPEN && literal_first) ||
		(p->kind == TOKEN_WORD && is_arithmetic(p->word)))
		return not_implemented(p);
	node->slot = slot_of(p, name);
	if (node->slot < 0 && node->slot != SLOT_TIMESTAMP &&
		literal.type == VT_STRING)
		literal.bytes = key_form(p->arena, literal.bytes);
	node->literal = literal;
	return node;
}

static FilterNode *parse_or(Parser *p);

static FilterNode *
parse_operand(Parser *p)
{
	FilterNode *node = NULL;

	if (++p->depth > MAX_DEPTH)
		return fail(p, "The expression is nested too deeply.");
	if (p->kind == TOKEN_OPEN)
	{
		next_token(p);
		node = parse_or(p);
		if (node != NULL && p->kind != TOKEN_CLOSE)
			node = fail(p, "A closing parenthesis was expected.");
		else if (node != NULL)
			next_token(p);
	}
	else if (p->kind == TOKEN_WORD && span_eq(p->word, SPAN("not")))
	{
		next_token(p);
		node = parse_operand(p);
		if (node != NULL)
			node = new_node(p, FILTER_NOT, node, NULL);
	}
	else if (p->kind == TOKEN_WORD || p->kind == TOKEN_LITERAL)
		node = parse_comparison(p);
	else
		node = fail(p, "A comparison was expected.");
	p->depth--;
	return node;
}

static FilterNode *
parse_and(Parser *p)
{
	FilterNode *left = parse_operand(p);

	while (left != NULL && p->kind == TOKEN_WORD &&
		   span_eq(p->word, SPAN("and")))
	{
		FilterNode *right;

		next_token(p);
		right = parse_operand(p);
		left = right ? new_node(p, FILTER_AND, left, right) : NULL;
	}
	return left;
}

static FilterNode *
parse_or(Parser *p)
{
	FilterNode *left = parse_and(p);

	while (left != NULL && p->kind == TOKEN_WORD &&
		   span_eq(p->word, SPAN("or")))
	{
		FilterNode *right;

		next_token(p);
		right = parse_and(p);
		left = right ? new_node(p, FILTER_OR, left, right) : NULL;
	}
	return left;
}

ErrCode
filter_parse(Arena *a, Span text, Filter *f, const char **detail)
{
	Parser		p = {.arena = a,.filter = f,.text = text,.rest = text};
	size_t		units;

	memset(f, 0, sizeof(*f));
	if (span_trim(text).n == 0)
		return ERR_NONE;
	if (!utf16_length(text, &units))
		return ERR_INVALID_INPUT;
	next_token(&p);
	f->root = parse_or(&p);
	if (f->root != NULL && p.kind != TOKEN_END)
		f->root = fail(&p, "Unexpected text after the expression.");
	if (f->root == NULL)
		*detail = p.detail;
	return f->root ? ERR_NONE : p.err;
}
