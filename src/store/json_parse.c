/*
 * json_parse.c
 *	  JSON texts as events.
 *
 * For answers of any shape; pages of entities, which must be fast, are read by
 * entity_read.c.  One value, nothing behind it.  Called by response.c, never
 * from inside libcurl.  Easy to break: depth is stack.
 */
#include "json_scan.h"

/* Deeper texts are not of this protocol, and would use up the stack. */
#define MAX_DEPTH 64

typedef struct json_events
{
	json_scan	scan;
	tstore_json_sink sink;
	void	   *ctx;			/* the sink's */
} json_events;

static tstore_json_status json_value(json_events *events, int depth);

static tstore_json_status
json_emit_text(const json_events *events, tstore_json_kind kind,
			   tmodel_span text)
{
	return events->sink(events->ctx, kind, text) ? TSTORE_JSON_OK :
		TSTORE_JSON_STOPPED;
}

static tstore_json_status
json_emit(const json_events *events, tstore_json_kind kind)
{
	return json_emit_text(events, kind, (tmodel_span) {NULL, 0});
}

/* A string whose opening quote was taken. */
static tstore_json_status
json_string(json_events *events, tstore_json_kind kind)
{
	tmodel_span text;
	tstore_json_status status = json_scan_string(&events->scan, &text);

	return status != TSTORE_JSON_OK ? status :
		json_emit_text(events, kind, text);
}

/* Moves over digits; how many there are. */
static size_t
json_digits(json_scan *scan)
{
	const char *begin = scan->at;

	while (scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9')
		scan->at++;
	return scan->at - begin;
}

static bool
json_next_is(const json_scan *scan, const char *set)
{
	return scan->at < scan->end && *scan->at != '\0' &&
		strchr(set, *scan->at) != NULL;
}

/* See json_scan.h. */
tstore_json_status
tstore_json_scan_number(json_scan *scan, tmodel_span *text)
{
	const char *begin = scan->at;
	const char *first;
	size_t		digits;

	if (scan->at < scan->end && *scan->at == '-')
		scan->at++;
	first = scan->at;
	digits = json_digits(scan);
	if (digits == 0 || (digits > 1 && *first == '0'))
		return TSTORE_JSON_MALFORMED;
	if (json_next_is(scan, "."))
	{
		scan->at++;
		if (json_digits(scan) == 0)
			return TSTORE_JSON_MALFORMED;
	}
	if (json_next_is(scan, "eE"))
	{
		scan->at++;
		if (json_next_is(scan, "+-"))
			scan->at++;
		if (json_digits(scan) == 0)
			return TSTORE_JSON_MALFORMED;
	}
	*text = (tmodel_span) {begin, scan->at - begin};
	return TSTORE_JSON_OK;
}

static tstore_json_status
json_number(json_events *events)
{
	tmodel_span text;
	tstore_json_status status = tstore_json_scan_number(&events->scan, &text);

	return status != TSTORE_JSON_OK ? status :
		json_emit_text(events, TSTORE_JSON_NUMBER, text);
}

/* See json_scan.h. */
bool
tstore_json_scan_word(json_scan *scan, const char *word)
{
	size_t		len = strlen(word);

	if ((size_t) (scan->end - scan->at) < len ||
		memcmp(scan->at, word, len) != 0)
		return false;
	scan->at += len;
	return true;
}

static tstore_json_status
json_word(json_events *events, const char *word, tstore_json_kind kind)
{
	return tstore_json_scan_word(&events->scan, word) ?
		json_emit(events, kind) : TSTORE_JSON_MALFORMED;
}

/* Members or elements whose opening bracket was taken, and the closing one. */
static tstore_json_status
json_container(json_events *events, bool object, int depth)
{
	char		close = object ? '}' : ']';
	tstore_json_status status;

	status = json_emit(events, object ? TSTORE_JSON_BEGIN_OBJECT :
					   TSTORE_JSON_BEGIN_ARRAY);
	if (depth >= MAX_DEPTH)
		return TSTORE_JSON_MALFORMED;
	if (status == TSTORE_JSON_OK && !json_take(&events->scan, close))
		do
		{
			if (object)
			{
				if (!json_take(&events->scan, '"'))
					return TSTORE_JSON_MALFORMED;
				status = json_string(events, TSTORE_JSON_KEY);
				if (status != TSTORE_JSON_OK)
					return status;
				if (!json_take(&events->scan, ':'))
					return TSTORE_JSON_MALFORMED;
			}
			status = json_value(events, depth + 1);
			if (status != TSTORE_JSON_OK)
				return status;
			if (json_take(&events->scan, close))
				break;
			if (!json_take(&events->scan, ','))
				return TSTORE_JSON_MALFORMED;
		} while (true);
	if (status != TSTORE_JSON_OK)
		return status;
	return json_emit(events, object ? TSTORE_JSON_END_OBJECT :
					 TSTORE_JSON_END_ARRAY);
}

static tstore_json_status
json_value(json_events *events, int depth)
{
	json_scan  *scan = &events->scan;

	json_skip_space(scan);
	if (scan->at == scan->end)
		return TSTORE_JSON_MALFORMED;
	switch (*scan->at)
	{
		case '"':
			scan->at++;
			return json_string(events, TSTORE_JSON_STRING);
		case '{':
			scan->at++;
			return json_container(events, true, depth);
		case '[':
			scan->at++;
			return json_container(events, false, depth);
		case 't':
			return json_word(events, "true", TSTORE_JSON_TRUE);
		case 'f':
			return json_word(events, "false", TSTORE_JSON_FALSE);
		case 'n':
			return json_word(events, "null", TSTORE_JSON_NULL);
		default:
			return json_number(events);
	}
}

/* See json.h. */
tstore_json_status
tstore_json_parse(tmodel_arena *arena, tmodel_span text,
				  tstore_json_sink sink, void *ctx)
{
	json_events events = {
		.scan = {
			.at = text.data, .end = text.data + text.len, .arena = arena
		},
		.sink = sink, .ctx = ctx
	};
	tstore_json_status status = json_value(&events, 0);

	if (status != TSTORE_JSON_OK)
		return status;
	json_skip_space(&events.scan);
	return events.scan.at == events.scan.end ? TSTORE_JSON_OK :
		TSTORE_JSON_MALFORMED;
}

static bool
json_ignore(void *ctx, tstore_json_kind kind, tmodel_span text)
{
	(void) ctx;
	(void) kind;
	(void) text;
	return true;
}

/* See json_scan.h. */
tstore_json_status
tstore_json_scan_value(json_scan *scan)
{
	json_events events = {.scan = *scan,.sink = json_ignore};
	tstore_json_status status = json_value(&events, 0);

	scan->at = events.scan.at;
	return status;
}
