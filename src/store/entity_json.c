/*
 * entity_json.c
 *	  Entities as the JSON of the table service, for requests.
 *
 * A property whose type JSON does not tell gets its "@odata.type" annotation in
 * front of it.  Called by request.c and multipart.c; entity_read.c reads.  Easy
 * to break: a Double must never look like an integer.
 */
#include "store_int.h"

#include "json.h"

#include <string.h>

/* Appends ,"name": */
static void
entity_print_name(tmodel_buf *buf, tmodel_span name)
{
	tmodel_buf_putc(buf, ',');
	tstore_json_string(buf, name);
	tmodel_buf_putc(buf, ':');
}

/* Appends ,"name@odata.type":"Edm.Type" */
static void
entity_print_type(tmodel_buf *buf, tmodel_span name, tmodel_type type)
{
	tmodel_buf_puts(buf, ",\"");
	tstore_json_escape(buf, name);
	tmodel_buf_puts(buf, "@odata.type\":\"");
	tmodel_buf_puts(buf, tmodel_type_name(type));
	tmodel_buf_putc(buf, '"');
}

/*
 * Appends a Double: a JSON number that never looks like an integer, or a
 * string for what JSON has no number for.
 */
static bool
entity_print_double(tmodel_buf *buf, const tmodel_value *value)
{
	size_t		start = buf->len;
	double		number = value->u.number;

	if (number != number || number - number != 0.0)
	{
		tmodel_buf_putc(buf, '"');
		tmodel_value_print(buf, value);
		return tmodel_buf_putc(buf, '"');
	}
	if (!tmodel_value_print(buf, value))
		return false;
	for (size_t i = start; i < buf->len; i++)
	{
		if (strchr(".eE", buf->data[i]) != NULL)
			return true;
	}
	return tmodel_buf_puts(buf, ".0");
}

static bool
entity_print_property(tmodel_buf *buf, const tmodel_property *property)
{
	const tmodel_value *value = &property->value;

	switch (value->type)
	{
		case TMODEL_NULL:
			return true;
		case TMODEL_STRING:
			entity_print_name(buf, property->name);
			return tstore_json_string(buf, value->u.bytes);
		case TMODEL_INT32:
			entity_print_name(buf, property->name);
			return tmodel_value_print(buf, value);
		case TMODEL_BOOLEAN:
			entity_print_name(buf, property->name);
			return tmodel_buf_puts(buf, value->u.boolean ? "true" : "false");
		case TMODEL_DOUBLE:
			entity_print_type(buf, property->name, value->type);
			entity_print_name(buf, property->name);
			return entity_print_double(buf, value);
		case TMODEL_INT64:
		case TMODEL_DATETIME:
		case TMODEL_GUID:
		case TMODEL_BINARY:
			/* none of their text forms needs escaping */
			entity_print_type(buf, property->name, value->type);
			entity_print_name(buf, property->name);
			tmodel_buf_putc(buf, '"');
			tmodel_value_print(buf, value);
			return tmodel_buf_putc(buf, '"');
	}
	return true;
}

/* See store_int.h. */
bool
tstore_entity_print(tmodel_buf *buf, const tmodel_entity *entity)
{
	tmodel_buf_puts(buf, "{\"PartitionKey\":");
	tstore_json_string(buf, entity->partition_key);
	tmodel_buf_puts(buf, ",\"RowKey\":");
	tstore_json_string(buf, entity->row_key);
	for (int i = 0; i < entity->nproperties; i++)
		entity_print_property(buf, &entity->properties[i]);
	return tmodel_buf_putc(buf, '}') && !buf->arena->failed;
}
