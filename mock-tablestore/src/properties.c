/*
 * properties.c
 *	  Service properties: logging, metrics and CORS rules, read and kept.
 *
 * Each of the four sections is a setting of its own, because a PUT leaves
 * the sections it does not name as they were.  Cors takes effect (cors.c);
 * nothing is logged or measured for the others.
 */
#include "properties.h"

#include <stdio.h>

#include "cors.h"
#include "setting.h"
#include "timestamp.h"
#include "xml.h"

#define MAX_RETENTION_DAYS 365

static const char *const sections[] = {"Logging", "HourMetrics",
	"MinuteMetrics", "Cors"};

#define SECTIONS (sizeof(sections) / sizeof(sections[0]))
#define LOGGING 0
#define CORS 3

/* What an account has before anything was set. */
static const char *const defaults[SECTIONS] = {
	"<Logging><Version>1.0</Version><Read>false</Read><Write>false</Write>"
	"<Delete>false</Delete><RetentionPolicy><Enabled>false</Enabled>"
	"</RetentionPolicy></Logging>",
	"<HourMetrics><Version>1.0</Version><Enabled>true</Enabled>"
	"<IncludeAPIs>true</IncludeAPIs><RetentionPolicy><Enabled>true</Enabled>"
	"<Days>7</Days></RetentionPolicy></HourMetrics>",
	"<MinuteMetrics><Version>1.0</Version><Enabled>false</Enabled>"
	"<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy>"
	"</MinuteMetrics>",
	"<Cors />"
};

const char *
properties_setting(Arena *a, char service, const char *section)
{
	return arena_printf(a, "properties/%c/%s", service, section);
}

static ErrCode
check_bool(const XmlNode *node, const char *name, bool *value)
{
	Span		text;

	if (!xml_value(node, name, &text))
		return ERR_XML_DOCUMENT;
	*value = span_eq(text, SPAN("true"));
	return *value || span_eq(text, SPAN("false")) ? ERR_NONE :
		ERR_XML_NODE_VALUE;
}

static bool
read_number(Span text, int *value)
{
	*value = 0;
	for (size_t i = 0; i < text.n; i++)
	{
		if (text.p[i] < '0' || text.p[i] > '9' || i > 8)
			return false;
		*value = *value * 10 + text.p[i] - '0';
	}
	return text.n > 0;
}

static ErrCode
check_retention(const XmlNode *section)
{
	const XmlNode *node = xml_child(section, "RetentionPolicy");
	bool		enabled;
	Span		text;
	int			days;
	ErrCode		err;

	if (node == NULL)
		return ERR_XML_DOCUMENT;
	err = check_bool(node, "Enabled", &enabled);
	if (err != ERR_NONE || !enabled)
		return err;
	if (!xml_value(node, "Days", &text))
		return ERR_XML_DOCUMENT;
	if (!read_number(text, &days))
		return ERR_XML_NODE_VALUE;
	return days >= 1 && days <= MAX_RETENTION_DAYS ? ERR_NONE :
		ERR_XML_DOCUMENT;
}

static ErrCode
check_version(const XmlNode *section)
{
	Span		text;

	if (!xml_value(section, "Version", &text))
		return ERR_XML_DOCUMENT;
	return span_eq(text, SPAN("1.0")) ? ERR_NONE : ERR_XML_NODE_VALUE;
}

static ErrCode
check_logging(const XmlNode *section)
{
	static const char *const flags[] = {"Delete", "Read", "Write"};
	ErrCode		err = check_version(section);
	bool		value;

	for (int i = 0; i < 3 && err == ERR_NONE; i++)
		err = check_bool(section, flags[i], &value);
	return err == ERR_NONE ? check_retention(section) : err;
}

static ErrCode
check_metrics(const XmlNode *section)
{
	ErrCode		err = check_version(section);
	bool		enabled;
	bool		apis;

	if (err == ERR_NONE)
		err = check_bool(section, "Enabled", &enabled);
	if (err == ERR_NONE && enabled)
		err = check_bool(section, "IncludeAPIs", &apis);
	return err == ERR_NONE ? check_retention(section) : err;
}

static ErrCode
check_section(size_t section, const XmlNode *node)
{
	switch (section)
	{
		case LOGGING:
			return check_logging(node);
		case CORS:
			return cors_check(node);
		default:
			return check_metrics(node);
	}
}

/* The elements a section may have, in the order they are given back. */
static const char *const order[] = {"Version", "Read", "Write", "Delete",
"Enabled", "IncludeAPIs", "RetentionPolicy", "Days"};

static void
put_node(Buf *out, const XmlNode *node)
{
	int			n = (int) node->name.n;

	buf_printf(out, "<%.*s>", n, node->name.p);
	if (node->first == NULL)
		xml_text(out, span_trim(node->text));
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
	{
		const XmlNode *child = xml_child(node, order[i]);

		if (child)
			put_node(out, child);
	}
	buf_printf(out, "</%.*s>", n, node->name.p);
}

ErrCode
properties_get(Context *c, char service, Reply *reply)
{
	Buf		   *out = &reply->body;
	StoreResult result = STORE_OK;
	Span		text;

	BUF_LIT(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>"
			"<StorageServiceProperties>");
	store_lock(c->store);
	for (size_t i = 0; i < SECTIONS && result != STORE_FAILED; i++)
	{
		result = setting_get(c->store, c->arena, c->account,
							 properties_setting(c->arena, service,
												sections[i]), &text);
		buf_span(out, result == STORE_OK ? text : span_of(defaults[i]));
	}
	store_unlock(c->store);
	BUF_LIT(out, "</StorageServiceProperties>");
	reply->status = 200;
	reply->content_type = "application/xml";
	return result == STORE_FAILED ? ERR_INTERNAL : ERR_NONE;
}

/* Which section a node is, or SECTIONS. */
static size_t
section_of(const XmlNode *node)
{
	size_t		i = 0;

	while (i < SECTIONS && !span_eq(node->name, span_of(sections[i])))
		i++;
	return i;
}

static ErrCode
store_sections(Context *c, char service, const XmlNode *root)
{
	ErrCode		err = ERR_NONE;

	for (const XmlNode *n = root->first; n && err == ERR_NONE; n = n->next)
	{
		Buf			out = {0};
		Span		text;

		if (section_of(n) == CORS)
			cors_print(c->arena, &out, n);
		else
			put_node(&out, n);
		text = (Span) {out.p, out.n};
		if (setting_put(c->store, c->account,
						properties_setting(c->arena, service,
										   sections[section_of(n)]),
						&text) != STORE_OK)
			err = ERR_INTERNAL;
		buf_free(&out);
	}
	return err;
}

ErrCode
properties_set(Context *c, char service, Span body, Reply *reply)
{
	const XmlNode *root = xml_parse(c->arena, body);
	bool		seen[SECTIONS] = {false};
	ErrCode		err = ERR_NONE;

	if (root == NULL ||
		!span_eq(root->name, SPAN("StorageServiceProperties")))
		return ERR_XML_DOCUMENT;
	for (const XmlNode *n = root->first; n && err == ERR_NONE; n = n->next)
	{
		size_t		section = section_of(n);

		if (section == SECTIONS || seen[section])
			return ERR_XML_DOCUMENT;
		seen[section] = true;
		err = check_section(section, n);
	}
	if (err != ERR_NONE)
		return err;
	store_lock(c->store);
	err = store_begin(c->store) == STORE_OK ? ERR_NONE : ERR_INTERNAL;
	if (err == ERR_NONE)
		err = store_sections(c, service, root);
	if (err == ERR_NONE && store_commit(c->store) != STORE_OK)
		err = ERR_INTERNAL;
	if (err != ERR_NONE)
		store_rollback(c->store);
	else
		cors_changed(c->store);
	store_unlock(c->store);
	reply->status = 202;
	return err;
}

ErrCode
service_stats(Context *c, Reply *reply)
{
	char		now[HTTP_DATE_MAX];

	http_date_format(now, timestamp_now());
	buf_printf(&reply->body, "<?xml version=\"1.0\" encoding=\"utf-8\"?>"
			   "<StorageServiceStats><GeoReplication><Status>live</Status>"
			   "<LastSyncTime>%s</LastSyncTime></GeoReplication>"
			   "</StorageServiceStats>", now);
	reply->status = 200;
	reply->content_type = "application/xml";
	return ERR_NONE;
}
