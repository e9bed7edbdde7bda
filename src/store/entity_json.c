/*
 * entity_json.c
 *	  Entities as the JSON of the table service, both ways.
 *
 * Decides which type a property has: by its "@odata.type" annotation (before
 * or after the property), else by the JSON value: text is a String, a number
 * written as an integer of 32 bits an Int32, any other number a Double.  A
 * value that does not read as its annotated type is handed out as a String:
 * one odd value must not make a whole page unreadable.
 *
 * Called by request.c, multipart.c and response.c.  Easy to break: property
 * names and texts point into the JSON text; a JSON null is no property.
 */
#include "response.h"

#include "json.h"

#include <string.h>

/* A property while its entity is being read: annotation and value may come in
 * either order. */
typedef struct entity_slot
{
	tmodel_span name;
	tmodel_span type;			/* the annotation; empty when there is none */
	bool		has_value;
	tstore_json_kind kind;		/* of the value */
	tmodel_span text;
} entity_slot;

typedef enum entity_place
{
	ENTITY_OUTSIDE,				/* before and after everything */
	ENTITY_PAGE,				/* in the page's object */
	ENTITY_LIST,				/* in its "value" array */
	ENTITY_INSIDE				/* in an entity */
} entity_place;

typedef struct entity_reader
{
	tmodel_arena *arena;
	bool		page;			/* a page, or one entity */
	entity_place place;
	int			skip_depth;		/* > 0: in a nested value of the page */
	bool		saw_list;
	bool		no_memory;
	tmodel_span key;			/* the key whose value comes next */

	/* the entity being read */
	tmodel_span partition_key;
	tmodel_span row_key;
	tmodel_span etag;
	int64_t		timestamp;
	int			nslots;
	int			slots_capacity;
	entity_slot *slots;

	/* all entities so far */
	int			nentities;
	int			capacity;
	tmodel_entity *entities;
} entity_reader;

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

/* Makes room for one more element; false when memory is short. */
static bool
entity_grow(entity_reader *reader, void **array, int count, int *capacity,
			size_t size)
{
	int			new_capacity = *capacity == 0 ? 16 : *capacity * 2;
	void	   *larger;

	if (count < *capacity)
		return true;
	larger = tmodel_alloc(reader->arena, (size_t) new_capacity * size);
	if (larger == NULL)
	{
		reader->no_memory = true;
		return false;
	}
	if (count > 0)
		memcpy(larger, *array, (size_t) count * size);
	*array = larger;
	*capacity = new_capacity;
	return true;
}

/* A new slot at the end, or the last one when it has this name. */
static entity_slot *
entity_slot_for(entity_reader *reader, tmodel_span name)
{
	entity_slot *slot;

	if (reader->nslots > 0)
	{
		slot = &reader->slots[reader->nslots - 1];
		if (tmodel_span_equal(slot->name, name))
			return slot;
	}
	if (!entity_grow(reader, (void **) &reader->slots, reader->nslots,
					 &reader->slots_capacity, sizeof(entity_slot)))
		return NULL;
	slot = &reader->slots[reader->nslots++];
	memset(slot, 0, sizeof(*slot));
	slot->name = name;
	return slot;
}

/* An annotation that did not stand beside its property finds it here. */
static tmodel_span
entity_annotation_of(const entity_reader *reader, tmodel_span name)
{
	for (int i = 0; i < reader->nslots; i++)
	{
		const entity_slot *slot = &reader->slots[i];

		if (!slot->has_value && tmodel_span_equal(slot->name, name))
			return slot->type;
	}
	return (tmodel_span) {NULL, 0};
}

/* Reads an integer literal of 32 bits; false when it is something else. */
static bool
entity_read_int32(tmodel_span text, int32_t *number)
{
	bool		negative = text.len > 0 && text.data[0] == '-';
	int64_t		sum = 0;

	if (text.len == (size_t) negative || text.len > 11)
		return false;
	for (size_t i = negative; i < text.len; i++)
	{
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
		sum = sum * 10 + (text.data[i] - '0');
	}
	if (negative)
		sum = -sum;
	if (sum < INT32_MIN || sum > INT32_MAX)
		return false;
	*number = (int32_t) sum;
	return true;
}

/* The value without an annotation; the number is well formed. */
static tmodel_value
entity_plain_value(entity_reader *reader, const entity_slot *slot)
{
	tmodel_value value = tmodel_string(slot->text);
	int32_t		number;

	if (slot->kind == TSTORE_JSON_TRUE || slot->kind == TSTORE_JSON_FALSE)
		value = tmodel_boolean(slot->kind == TSTORE_JSON_TRUE);
	else if (slot->kind == TSTORE_JSON_NUMBER)
	{
		if (entity_read_int32(slot->text, &number))
			value = tmodel_int32(number);
		else if (!tmodel_value_parse(reader->arena, TMODEL_DOUBLE, slot->text,
									 &value))
			value = tmodel_string(slot->text);
	}
	return value;
}

/* The slot's value with its annotation taken into account. */
static tmodel_value
entity_slot_value(entity_reader *reader, const entity_slot *slot,
				  bool late_annotations)
{
	tmodel_span name = slot->type;
	tmodel_type type;
	tmodel_value value;

	if (name.len == 0 && late_annotations)
		name = entity_annotation_of(reader, slot->name);
	if (name.len == 0)
		return entity_plain_value(reader, slot);
	type = tmodel_type_of_name(name);
	if (type == TMODEL_NULL || type == TMODEL_STRING)
		return tmodel_string(slot->text);	/* NULL: of an unknown type */
	if (type == TMODEL_BOOLEAN)
		return entity_plain_value(reader, slot);
	if (!tmodel_value_parse(reader->arena, type, slot->text, &value))
		value = tmodel_string(slot->text);
	return value;
}

/* Turns the slots into the properties of a finished entity. */
static bool
entity_finish(entity_reader *reader)
{
	tmodel_entity *entity;
	bool		late_annotations = false;
	int			nproperties = 0;

	if (!entity_grow(reader, (void **) &reader->entities, reader->nentities,
					 &reader->capacity, sizeof(tmodel_entity)))
		return false;
	for (int i = 0; i < reader->nslots; i++)
	{
		if (!reader->slots[i].has_value)
			late_annotations = true;
		else if (reader->slots[i].kind != TSTORE_JSON_NULL)
			nproperties++;
	}
	entity = &reader->entities[reader->nentities++];
	entity->partition_key = reader->partition_key;
	entity->row_key = reader->row_key;
	entity->etag = reader->etag;
	entity->timestamp = reader->timestamp;
	entity->nproperties = 0;
	entity->properties = tmodel_alloc(reader->arena, (size_t)
									  (nproperties > 0 ? nproperties : 1) *
									  sizeof(tmodel_property));
	if (entity->properties == NULL)
		return false;
	for (int i = 0; i < reader->nslots; i++)
	{
		const entity_slot *slot = &reader->slots[i];
		tmodel_property *property;

		if (!slot->has_value || slot->kind == TSTORE_JSON_NULL)
			continue;
		property = &entity->properties[entity->nproperties++];
		property->name = slot->name;
		property->value = entity_slot_value(reader, slot, late_annotations);
	}
	return !reader->arena->failed;
}

static void
entity_begin(entity_reader *reader)
{
	reader->place = ENTITY_INSIDE;
	reader->partition_key = reader->row_key = reader->etag =
		(tmodel_span) {NULL, 0};
	reader->timestamp = -1;
	reader->nslots = 0;
}

/* Most keys differ in length, which the compiler knows here. */
#define entity_key_is(key, name) \
	((key).len == sizeof(name) - 1 && \
	 memcmp((key).data, name, sizeof(name) - 1) == 0)

/* A scalar inside an entity: key, metadata or property. */
static bool
entity_scalar(entity_reader *reader, tstore_json_kind kind, tmodel_span text)
{
	static const tmodel_span suffix = {"@odata.type", 11};
	tmodel_span key = reader->key;
	bool		is_text = kind == TSTORE_JSON_STRING;
	entity_slot *slot;

	if (is_text && entity_key_is(key, "PartitionKey"))
		reader->partition_key = text;
	else if (is_text && entity_key_is(key, "RowKey"))
		reader->row_key = text;
	else if (is_text && entity_key_is(key, "odata.etag"))
		reader->etag = text;
	else if (is_text && entity_key_is(key, "Timestamp"))
	{
		tmodel_value value;

		if (tmodel_value_parse(reader->arena, TMODEL_DATETIME, text, &value))
			reader->timestamp = value.u.ticks;
	}
	else if (key.len > 6 && memcmp(key.data, "odata.", 6) == 0)
		return true;			/* metadata, id, editLink, type */
	else if (key.len > suffix.len &&
			 key.data[key.len - suffix.len] == '@' &&
			 memcmp(key.data + key.len - suffix.len, suffix.data,
					suffix.len) == 0)
	{
		key.len -= suffix.len;
		slot = entity_slot_for(reader, key);
		if (slot == NULL)
			return false;
		slot->type = text;
	}
	else
	{
		slot = entity_slot_for(reader, key);
		if (slot == NULL)
			return false;
		slot->has_value = true;
		slot->kind = kind;
		slot->text = text;
		if (kind == TSTORE_JSON_TRUE)
			slot->text = TMODEL_SPAN("true");
		else if (kind == TSTORE_JSON_FALSE)
			slot->text = TMODEL_SPAN("false");
	}
	return true;
}

/* Events while inside an entity; nested values are not of this protocol. */
static bool
entity_event_inside(entity_reader *reader, tstore_json_kind kind,
					tmodel_span text)
{
	switch (kind)
	{
		case TSTORE_JSON_KEY:
			reader->key = text;
			return true;
		case TSTORE_JSON_END_OBJECT:
			reader->place = reader->page ? ENTITY_LIST : ENTITY_OUTSIDE;
			return entity_finish(reader);
		case TSTORE_JSON_BEGIN_OBJECT:
		case TSTORE_JSON_BEGIN_ARRAY:
		case TSTORE_JSON_END_ARRAY:
			return false;
		default:
			return entity_scalar(reader, kind, text);
	}
}

/* Events in the object around a page's "value"; other members are skipped. */
static bool
entity_event_page(entity_reader *reader, tstore_json_kind kind,
				  tmodel_span text)
{
	switch (kind)
	{
		case TSTORE_JSON_KEY:
			if (reader->skip_depth == 0)
				reader->key = text;
			return true;
		case TSTORE_JSON_BEGIN_ARRAY:
			if (reader->skip_depth == 0 && !reader->saw_list &&
				tmodel_span_equal(reader->key, TMODEL_SPAN("value")))
			{
				reader->saw_list = true;
				reader->place = ENTITY_LIST;
				return true;
			}
			reader->skip_depth++;
			return true;
		case TSTORE_JSON_BEGIN_OBJECT:
			reader->skip_depth++;
			return true;
		case TSTORE_JSON_END_ARRAY:
		case TSTORE_JSON_END_OBJECT:
			if (reader->skip_depth == 0)
				reader->place = ENTITY_OUTSIDE;
			else
				reader->skip_depth--;
			return true;
		default:
			return true;
	}
}

/* The sink of tstore_json_parse. */
static bool
entity_event(void *ctx, tstore_json_kind kind, tmodel_span text)
{
	entity_reader *reader = ctx;

	switch (reader->place)
	{
		case ENTITY_INSIDE:
			return entity_event_inside(reader, kind, text);
		case ENTITY_LIST:
			if (kind == TSTORE_JSON_BEGIN_OBJECT)
				entity_begin(reader);
			else if (kind == TSTORE_JSON_END_ARRAY)
				reader->place = ENTITY_PAGE;
			else
				return false;
			return true;
		case ENTITY_PAGE:
			return entity_event_page(reader, kind, text);
		case ENTITY_OUTSIDE:
			if (kind != TSTORE_JSON_BEGIN_OBJECT)
				return false;
			if (reader->page)
				reader->place = ENTITY_PAGE;
			else
				entity_begin(reader);
			return true;
	}
	return false;
}

/* Runs the parser and says what became of it. */
static tstore_status
entity_read(entity_reader *reader, tmodel_span json)
{
	switch (tstore_json_parse(reader->arena, json, entity_event, reader))
	{
		case TSTORE_JSON_OK:
			return TSTORE_OK;
		case TSTORE_JSON_NO_MEMORY:
			return TSTORE_NO_MEMORY;
		default:
			return reader->no_memory || reader->arena->failed ?
				TSTORE_NO_MEMORY : TSTORE_PROTOCOL;
	}
}

/* See response.h. */
tstore_status
tstore_entity_read(tmodel_arena *arena, tmodel_span json,
				   tmodel_entity *entity)
{
	entity_reader reader = {.arena = arena};
	tstore_status status = entity_read(&reader, json);

	if (status == TSTORE_OK && reader.nentities != 1)
		status = TSTORE_PROTOCOL;
	if (status == TSTORE_OK)
		*entity = reader.entities[0];
	return status;
}

/* See response.h. */
tstore_status
tstore_page_read(tmodel_arena *arena, tmodel_span json, int *nentities,
				 tmodel_entity **entities)
{
	entity_reader reader = {.arena = arena, .page = true};
	tstore_status status = entity_read(&reader, json);

	if (status == TSTORE_OK && !reader.saw_list)
		status = TSTORE_PROTOCOL;
	if (status == TSTORE_OK)
	{
		*nentities = reader.nentities;
		*entities = reader.entities;
	}
	return status;
}
