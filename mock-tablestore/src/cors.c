/*
 * cors.c
 *	  Cross-origin requests: the rules, the preflight, the reply's headers.
 *
 * The rules are the Cors section of the service properties (properties.c
 * stores it).  The first rule in order that fits decides.  Easy to break: a
 * store without any rule must cost an ordinary request no more than reading
 * one flag.
 */
#include "cors.h"

#include <ctype.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "properties.h"
#include "setting.h"

/* The service's limits; lengths in bytes. */
#define MAX_RULES 5
#define MAX_RULE_BYTES 2048
#define MAX_NAME 256
#define MAX_LITERALS 64
#define MAX_PREFIXES 2

static atomic_bool any_rules;

static const char *const elements[] = {"AllowedMethods", "AllowedOrigins",
"AllowedHeaders", "ExposedHeaders", "MaxAgeInSeconds"};

enum
{
	METHODS,
	ORIGINS,
	HEADERS,
	EXPOSED,
	MAX_AGE,
	ELEMENTS
};

typedef struct Rule
{
	Span		value[ELEMENTS];
} Rule;

/* The next of the names between commas; false at the end. */
static bool
next_name(Span *list, Span *name)
{
	while (list->n > 0)
	{
		const char *comma = memchr(list->p, ',', list->n);
		size_t		n = comma ? (size_t) (comma - list->p) : list->n;

		*name = span_trim((Span) {list->p, n});
		*list = span_skip(*list, n + (comma ? 1 : 0));
		if (name->n > 0)
			return true;
	}
	return false;
}

static bool
is_prefix(Span name)
{
	return name.n > 1 && name.p[name.n - 1] == '*';
}

static bool
starts_nocase(Span text, Span prefix)
{
	return text.n >= prefix.n &&
		span_eq_nocase((Span) {text.p, prefix.n}, prefix);
}

static bool
list_has(Span list, Span text)
{
	Span		name;

	while (next_name(&list, &name))
	{
		if (span_eq(name, SPAN("*")) || span_eq_nocase(name, text) ||
			(is_prefix(name) &&
			 starts_nocase(text, (Span) {name.p, name.n - 1})))
			return true;
	}
	return false;
}

bool
cors_exposes(Span exposed, const char *header)
{
	return list_has(exposed, span_of(header));
}

/* "*", the origin as it is, or one with a star in place of a subdomain. */
static bool
origin_fits(Span allowed, Span origin)
{
	const char *star = memchr(allowed.p, '*', allowed.n);
	size_t		before = star ? (size_t) (star - allowed.p) : 0;
	Span		after;

	if (star == NULL)
		return span_eq(allowed, origin);
	after = span_skip(allowed, before + 1);
	return origin.n >= allowed.n - 1 &&
		memcmp(origin.p, allowed.p, before) == 0 &&
		memcmp(origin.p + origin.n - after.n, after.p, after.n) == 0;
}

static bool
origins_have(Span list, Span origin)
{
	Span		name;

	while (next_name(&list, &name))
	{
		if (origin_fits(name, origin))
			return true;
	}
	return false;
}

static bool
for_everybody(const Rule *rule)
{
	return span_eq(rule->value[ORIGINS], SPAN("*"));
}

static ErrCode
check_methods(Span list)
{
	static const char known[] = "DELETE,GET,HEAD,MERGE,POST,OPTIONS,PUT,PATCH";
	Span		name;

	if (list.n == 0)
		return ERR_XML_NODE_VALUE;
	while (next_name(&list, &name))
	{
		if (!list_has(SPAN(known), name))
			return ERR_XML_NODE_VALUE;
	}
	return ERR_NONE;
}

/* Names of headers or origins; how many of them may be plain or prefixes. */
static ErrCode
check_names(Span list, int literals, int prefixes)
{
	Span		name;

	while (next_name(&list, &name))
	{
		if (name.n > MAX_NAME ||
			(is_prefix(name) ? prefixes-- : literals--) <= 0)
			return ERR_XML_DOCUMENT;
	}
	return ERR_NONE;
}

static ErrCode
check_age(Span text)
{
	if (text.n == 0 || text.n > 10)
		return ERR_XML_NODE_VALUE;
	for (size_t i = 0; i < text.n; i++)
	{
		if (!isdigit((unsigned char) text.p[i]))
			return ERR_XML_NODE_VALUE;
	}
	return strtoll(text.p, NULL, 10) <= INT32_MAX ? ERR_NONE :
		ERR_XML_NODE_VALUE;
}

static bool
read_rule(const XmlNode *node, Rule *rule)
{
	if (!span_eq(node->name, SPAN("CorsRule")))
		return false;
	for (int i = 0; i < ELEMENTS; i++)
	{
		if (!xml_value(node, elements[i], &rule->value[i]))
			return false;
	}
	return true;
}

static ErrCode
check_rule(const Rule *rule)
{
	ErrCode		err = check_methods(rule->value[METHODS]);

	if (err == ERR_NONE && rule->value[ORIGINS].n == 0)
		err = ERR_XML_NODE_VALUE;
	if (err == ERR_NONE)
		err = check_age(rule->value[MAX_AGE]);
	if (err == ERR_NONE)
		err = check_names(rule->value[ORIGINS], MAX_LITERALS, MAX_LITERALS);
	if (err == ERR_NONE)
		err = check_names(rule->value[HEADERS], MAX_LITERALS, MAX_PREFIXES);
	if (err == ERR_NONE)
		err = check_names(rule->value[EXPOSED], MAX_LITERALS, MAX_PREFIXES);
	return err;
}

ErrCode
cors_check(const XmlNode *section)
{
	size_t		bytes = 0;
	int			rules = 0;
	Rule		rule;
	ErrCode		err;

	for (const XmlNode *n = section->first; n; n = n->next)
	{
		if (++rules > MAX_RULES || !read_rule(n, &rule))
			return ERR_XML_DOCUMENT;
		err = check_rule(&rule);
		if (err != ERR_NONE)
			return err;
		for (int i = 0; i < ELEMENTS; i++)
			bytes += rule.value[i].n;
	}
	return bytes > MAX_RULE_BYTES ? ERR_XML_DOCUMENT : ERR_NONE;
}

/* Plain names first, then prefixes, as the service gives them back. */
static void
put_names(Arena *a, Buf *out, const char *element, Span list)
{
	Buf			text = {0};

	for (int prefixes = 0; prefixes < 2; prefixes++)
	{
		Span		rest = list;
		Span		name;

		while (next_name(&rest, &name))
		{
			if (is_prefix(name) != prefixes)
				continue;
			if (text.n > 0)
				buf_putc(&text, ',');
			buf_span(&text, name);
		}
	}
	if (text.n == 0)
		buf_printf(out, "<%s />", element);
	else
		xml_element(out, element, (Span) {text.p, text.n});
	buf_free(&text);
}

void
cors_print(Arena *a, Buf *out, const XmlNode *section)
{
	Rule		rule;

	if (section->first == NULL)
	{
		BUF_LIT(out, "<Cors />");
		return;
	}
	BUF_LIT(out, "<Cors>");
	for (const XmlNode *n = section->first; n; n = n->next)
	{
		if (!read_rule(n, &rule))
			continue;
		BUF_LIT(out, "<CorsRule>");
		for (int i = 0; i < ELEMENTS; i++)
			put_names(a, out, elements[i], rule.value[i]);
		BUF_LIT(out, "</CorsRule>");
	}
	BUF_LIT(out, "</Cors>");
}

void
cors_changed(Store *store)
{
	any_rules = setting_is_any(store, "properties/%/Cors", "%<CorsRule>%");
}

/* The rules' element, or NULL; takes the lock. */
static const XmlNode *
load_rules(Context *c, char service)
{
	Span		text;
	StoreResult result;

	if (!any_rules)
		return NULL;
	store_lock(c->store);
	result = setting_get(c->store, c->arena, c->account,
						 properties_setting(c->arena, service, "Cors"),
						 &text);
	store_unlock(c->store);
	return result == STORE_OK ? xml_parse(c->arena, text) : NULL;
}

/* All names in the list are allowed. */
static bool
headers_fit(Span allowed, Span asked)
{
	Span		name;

	while (next_name(&asked, &name))
	{
		if (!list_has(allowed, name))
			return false;
	}
	return true;
}

ErrCode
cors_preflight(Context *c, char service, HeaderLookup header, void *who,
			   Reply *reply)
{
	const char *origin = header(who, "Origin");
	const char *method = header(who, "Access-Control-Request-Method");
	const char *headers = header(who, "Access-Control-Request-Headers");
	const XmlNode *rules;
	Rule		rule;

	if (origin == NULL || method == NULL)
		return ERR_CORS_HEADER;
	rules = load_rules(c, service);
	for (const XmlNode *n = rules ? rules->first : NULL; n; n = n->next)
	{
		if (!read_rule(n, &rule) ||
			!origins_have(rule.value[ORIGINS], span_of(origin)) ||
			!list_has(rule.value[METHODS], span_of(method)) ||
			!headers_fit(rule.value[HEADERS], span_of(headers)))
			continue;
		reply_header(reply, "Access-Control-Allow-Origin", origin);
		reply_header(reply, "Access-Control-Allow-Methods", method);
		if (headers)
			reply_header(reply, "Access-Control-Allow-Headers", headers);
		reply_header(reply, "Access-Control-Max-Age",
					 arena_strdup(c->arena, rule.value[MAX_AGE]));
		reply_header(reply, "Access-Control-Allow-Credentials", "true");
		reply->status = 200;
		return ERR_NONE;
	}
	return ERR_CORS_PREFLIGHT;
}

/* The first rule for this method that is for this origin or everybody. */
static bool
find_rule(const XmlNode *rules, const char *origin, const char *method,
		  Rule *rule)
{
	for (const XmlNode *n = rules->first; n; n = n->next)
	{
		if (read_rule(n, rule) &&
			list_has(rule->value[METHODS], span_of(method)) &&
			(for_everybody(rule) ||
			 (origin && origins_have(rule->value[ORIGINS],
									 span_of(origin)))))
			return true;
	}
	return false;
}

/*
 * A reply that depends on Origin says so (Vary), where it may be cached; it
 * does not depend on it when everybody is allowed.
 */
void
cors_answer(Context *c, char service, const char *method,
			HeaderLookup header, void *who, Reply *reply)
{
	const XmlNode *rules = load_rules(c, service);
	const char *origin;
	bool		cached = strcmp(method, "GET") == 0 ||
		strcmp(method, "HEAD") == 0;
	bool		found;
	Rule		rule;

	if (rules == NULL || rules->first == NULL)
		return;
	origin = header(who, "Origin");
	found = find_rule(rules, origin, method, &rule);
	if (found)
	{
		reply_header(reply, "Access-Control-Allow-Origin",
					 for_everybody(&rule) ? "*" : origin);
		reply->exposed = rule.value[EXPOSED];
		if (!for_everybody(&rule))
			reply_header(reply, "Access-Control-Allow-Credentials", "true");
	}
	if (cached && (!found || !for_everybody(&rule)))
		reply_header(reply, "Vary", "Origin");
}
