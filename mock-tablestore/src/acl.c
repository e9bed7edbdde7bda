/*
 * acl.c
 *	  Stored access policies of tables and queues.
 *
 * At most five per resource, kept as the XML that a GET answers.  Easy to
 * break: names of resources compare without case, ids with it.
 */
#include "acl.h"

#include <ctype.h>

#include "encode.h"
#include "sas.h"
#include "setting.h"
#include "timestamp.h"
#include "xml.h"

#define MAX_POLICIES 5
#define MAX_ID_UNITS 64

static const char *
setting_name(Arena *a, char service, Span resource)
{
	char	   *name = arena_printf(a, "acl/%c/%.*s", service,
									(int) resource.n, resource.p);

	for (char *p = name; *p; p++)
		*p = (char) tolower((unsigned char) *p);
	return name;
}

static void
read_policy(const XmlNode *node, Policy *p)
{
	const XmlNode *access = xml_child(node, "AccessPolicy");

	xml_value(node, "Id", &p->id);
	xml_value(access, "Start", &p->start);
	xml_value(access, "Expiry", &p->expiry);
	xml_value(access, "Permission", &p->permission);
}

bool
acl_find(Context *c, char service, Span resource, Span id, Policy *policy)
{
	const XmlNode *root;
	Span		text;

	if (setting_get(c->store, c->arena, c->account,
					setting_name(c->arena, service, resource),
					&text) != STORE_OK)
		return false;
	root = xml_parse(c->arena, text);
	for (const XmlNode *n = root ? root->first : NULL; n; n = n->next)
	{
		read_policy(n, policy);
		if (span_eq(policy->id, id))
			return true;
	}
	return false;
}

ErrCode
acl_print(Context *c, char service, Span resource, Buf *out)
{
	Span		text;
	StoreResult result = setting_get(c->store, c->arena, c->account,
									 setting_name(c->arena, service, resource),
									 &text);

	if (result == STORE_FAILED)
		return ERR_INTERNAL;
	BUF_LIT(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>");
	if (result == STORE_NOT_FOUND)
		BUF_LIT(out, "<SignedIdentifiers />");
	else
		buf_span(out, text);
	return ERR_NONE;
}

/* Letters of the service's order, each at most once. */
static bool
valid_permission(Span text, const char *order)
{
	for (size_t i = 0; i < text.n; i++)
	{
		order = text.p[i] ? strchr(order, text.p[i]) : NULL;
		if (order == NULL)
			return false;
		order++;
	}
	return true;
}

static ErrCode
check_policy(char service, const XmlNode *node, const Policy *p,
			 const char **detail)
{
	size_t		units;
	int64_t		ticks;

	if (!span_eq(node->name, SPAN("SignedIdentifier")) || p->id.n == 0)
		return ERR_XML_DOCUMENT;
	if (!utf16_length(p->id, &units) || units > MAX_ID_UNITS)
	{
		*detail = "XML specified is not syntactically valid. An Id has more "
			"than 64 characters.";
		return ERR_XML_DOCUMENT;
	}
	if ((p->start.n > 0 && !timestamp_parse(p->start, &ticks)) ||
		(p->expiry.n > 0 && !timestamp_parse(p->expiry, &ticks)) ||
		!valid_permission(p->permission,
						  service == SERVICE_TABLE ? "raud" : "raup"))
		return ERR_XML_NODE_VALUE;
	return ERR_NONE;
}

/* Times come back with all seven digits, whatever was sent. */
static void
put_time(Buf *out, const char *name, Span text)
{
	char		time[TIMESTAMP_MAX];
	int64_t		ticks;

	if (text.n == 0 || !timestamp_parse(text, &ticks))
		return;
	xml_element(out, name, (Span) {time, timestamp_format7(time, ticks)});
}

static void
put_policy(Buf *out, const Policy *p)
{
	BUF_LIT(out, "<SignedIdentifier>");
	xml_element(out, "Id", p->id);
	BUF_LIT(out, "<AccessPolicy>");
	put_time(out, "Start", p->start);
	put_time(out, "Expiry", p->expiry);
	if (p->permission.n > 0)
		xml_element(out, "Permission", p->permission);
	BUF_LIT(out, "</AccessPolicy></SignedIdentifier>");
}

/* All policies of the body, checked and in canonical form. */
static ErrCode
read_body(Arena *a, char service, Span body, Buf *out, const char **detail)
{
	Policy		policies[MAX_POLICIES];
	const XmlNode *root = xml_parse(a, body);
	int			n = 0;
	ErrCode		err;

	if (body.n == 0)
		return ERR_NONE;
	if (root == NULL || !span_eq(root->name, SPAN("SignedIdentifiers")))
		return ERR_XML_DOCUMENT;
	for (const XmlNode *node = root->first; node; node = node->next)
	{
		if (n == MAX_POLICIES)
		{
			*detail = "XML specified is not syntactically valid. There can "
				"be at most 5 stored access policies.";
			return ERR_XML_DOCUMENT;
		}
		read_policy(node, &policies[n]);
		err = check_policy(service, node, &policies[n], detail);
		for (int i = 0; i < n && err == ERR_NONE; i++)
		{
			if (span_eq(policies[i].id, policies[n].id))
				err = ERR_XML_DOCUMENT;
		}
		if (err != ERR_NONE)
			return err;
		put_policy(out, &policies[n++]);
	}
	return ERR_NONE;
}

ErrCode
acl_store(Context *c, char service, Span resource, Span body,
		  const char **detail)
{
	Buf			out = {0};
	Span		text;
	ErrCode		err;

	BUF_LIT(&out, "<SignedIdentifiers>");
	err = read_body(c->arena, service, body, &out, detail);
	BUF_LIT(&out, "</SignedIdentifiers>");
	text = (Span) {out.p, out.n};
	if (err == ERR_NONE &&
		setting_put(c->store, c->account,
					setting_name(c->arena, service, resource),
					&text) != STORE_OK)
		err = ERR_INTERNAL;
	buf_free(&out);
	return err;
}

StoreResult
acl_forget(Context *c, char service, Span resource)
{
	return setting_put(c->store, c->account,
					   setting_name(c->arena, service, resource), NULL);
}
