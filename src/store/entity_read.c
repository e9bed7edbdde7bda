/*
 * entity_read.c
 *	  Entities from the JSON of the table service: one, or those of a page.
 *
 * Which type a property has: its "@odata.type" annotation says so (before or
 * after the property), else the JSON value: text is a String, a number written
 * as an integer of 32 bits an Int32, any other number a Double.  A value that
 * does not read as its annotated type is handed out as a String: one odd value
 * must not make a whole page unreadable.
 *
 * The entities of a page name the same members in the same order, so a name is
 * first compared with the one that stood there in the entity before.  Called by
 * response.c.  Easy to break: names and texts point into the JSON text; a JSON
 * null is no property.
 */
#include "response.h"

#include "json_scan.h"

/* Member names that are known again; an entity may have more. */
#define MEMBERS 64
/* How many names are tried, for entities that lack some. */
#define TRIES 4
/* Few entities are shorter, and no page has more. */
#define ENTITY_BYTES 80
#define PAGE_ENTITIES 1000
#define FIRST_PROPERTIES 32
#define PAGE_PROPERTIES 2048

typedef enum member_kind
{
	MEMBER_PROPERTY,
	MEMBER_TYPE,				/* the annotation of a property */
	MEMBER_PARTITION_KEY,
	MEMBER_ROW_KEY,
	MEMBER_ETAG,
	MEMBER_TIMESTAMP,
	MEMBER_METADATA				/* of no interest */
} member_kind;

typedef struct member
{
	tmodel_span raw;			/* "name": as it stands in the text */
	member_kind kind;
	tmodel_span name;			/* of the property */
	tmodel_span type_text;		/* MEMBER_TYPE: as it was last, and ... */
	tmodel_type type;			/* ... what it means */
} member;

/* A type and the property it was said about; name.data NULL: none. */
typedef struct annotation
{
	tmodel_span name;
	tmodel_type type;			/* NULL: of an unknown type */
} annotation;

/* What a property's value was made from, should its type come late. */
typedef struct origin
{
	tstore_json_kind kind;
	tmodel_span text;
} origin;

typedef struct entity_reader
{
	json_scan	scan;
	tmodel_arena *arena;
	bool		no_memory;
	int			first_room;		/* properties in the first block */
	int			first_entities; /* about so many will come */

	member		members[MEMBERS];	/* of the entity before, in order */
	int			nmembers;
	int			next;			/* where the next is expected */
	member		other;			/* one that is not kept */

	/* the entity being read */
	tmodel_entity *entity;
	annotation	before;			/* stood before its property */
	annotation *late;			/* those that did not */
	int			nlate;
	int			late_room;
	origin	   *origins;		/* of its properties */
	int			origins_room;

	/* properties are taken from a block for many entities */
	tmodel_property *properties;
	int			nproperties;
	int			room;

	/* all entities so far */
	int			nentities;
	int			capacity;
	tmodel_entity *entities;
} entity_reader;

/* Makes room for one more element; false when memory is short. */
static bool
entity_grow(entity_reader *reader, void **array, int count, int *capacity,
			int first, size_t size)
{
	int			new_capacity = *capacity == 0 ? first : *capacity * 2;
	void	   *larger = tmodel_alloc_raw(reader->arena,
										  (size_t) new_capacity * size);

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

/* A new block of properties, with those of the entity being read in front. */
static bool
new_properties(entity_reader *reader)
{
	int			have = reader->entity->nproperties;
	int			room = reader->room == 0 ? reader->first_room :
	PAGE_PROPERTIES;
	tmodel_property *block;

	while (room < 2 * have)
		room *= 2;
	block = tmodel_alloc_raw(reader->arena, (size_t) room * sizeof(*block));
	if (block == NULL)
	{
		reader->no_memory = true;
		return false;
	}
	if (have > 0)
		memcpy(block, reader->entity->properties,
			   (size_t) have * sizeof(*block));
	reader->entity->properties = block;
	reader->properties = block;
	reader->nproperties = have;
	reader->room = room;
	return true;
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
static void
plain_value(entity_reader *reader, const origin *from, tmodel_value *value)
{
	value->type = TMODEL_STRING;
	value->u.bytes = from->text;
	if (from->kind == TSTORE_JSON_TRUE || from->kind == TSTORE_JSON_FALSE)
	{
		value->type = TMODEL_BOOLEAN;
		value->u.boolean = from->kind == TSTORE_JSON_TRUE;
	}
	else if (from->kind == TSTORE_JSON_NUMBER)
	{
		int32_t		number;

		if (entity_read_int32(from->text, &number))
		{
			value->type = TMODEL_INT32;
			value->u.int32 = number;
		}
		else if (!tmodel_value_parse(reader->arena, TMODEL_DOUBLE, from->text,
									 value))
			*value = tmodel_string(from->text);
	}
}

/* The value as its annotation says. */
static void
typed_value(entity_reader *reader, const origin *from, tmodel_type type,
			tmodel_value *value)
{
	if (type == TMODEL_BOOLEAN)
		plain_value(reader, from, value);
	else if (type == TMODEL_NULL || type == TMODEL_STRING ||
			 !tmodel_value_parse(reader->arena, type, from->text, value))
		*value = tmodel_string(from->text);
}

/* ---- names ---- */

/* Most keys differ in length, which the compiler knows here. */
#define name_is(key, literal) \
	((key).len == sizeof(literal) - 1 && \
	 memcmp((key).data, literal, sizeof(literal) - 1) == 0)

/* What a member of this name is. */
static void
classify(member *as, tmodel_span name)
{
	static const tmodel_span suffix = {"@odata.type", 11};

	as->name = name;
	as->kind = MEMBER_PROPERTY;
	as->type_text = (tmodel_span) {NULL, 0};
	if (name_is(name, "PartitionKey"))
		as->kind = MEMBER_PARTITION_KEY;
	else if (name_is(name, "RowKey"))
		as->kind = MEMBER_ROW_KEY;
	else if (name_is(name, "odata.etag"))
		as->kind = MEMBER_ETAG;
	else if (name_is(name, "Timestamp"))
		as->kind = MEMBER_TIMESTAMP;
	else if (name.len > 6 && memcmp(name.data, "odata.", 6) == 0)
		as->kind = MEMBER_METADATA; /* metadata, id, editLink, type */
	else if (name.len > suffix.len &&
			 memcmp(name.data + name.len - suffix.len, suffix.data,
					suffix.len) == 0)
	{
		as->kind = MEMBER_TYPE;
		as->name.len -= suffix.len;
	}
}

/* Reads a name that is not the expected one; kept for the next entity. */
static member *
read_name(entity_reader *reader)
{
	json_scan  *scan = &reader->scan;
	const char *begin = scan->at;
	member	   *as = &reader->other;
	tmodel_span name;

	if (!json_take(scan, '"') ||
		json_scan_string(scan, &name) != TSTORE_JSON_OK ||
		!json_take(scan, ':'))
		return NULL;
	/* with an escape or spaces it is not to be compared byte by byte */
	if (reader->next < MEMBERS && name.data == begin + 1 &&
		scan->at == name.data + name.len + 2)
	{
		as = &reader->members[reader->next++];
		as->raw = (tmodel_span) {begin, (size_t) (scan->at - begin)};
		if (reader->nmembers < reader->next)
			reader->nmembers = reader->next;
	}
	classify(as, name);
	return as;
}

/* The name of the next member and its colon; NULL: there is none. */
static inline member *
next_name(entity_reader *reader)
{
	json_scan  *scan = &reader->scan;
	size_t		left = (size_t) (scan->end - scan->at);

	for (int i = reader->next;
		 i < reader->nmembers && i < reader->next + TRIES; i++)
	{
		member	   *as = &reader->members[i];

		if (left >= as->raw.len &&
			memcmp(scan->at, as->raw.data, as->raw.len) == 0)
		{
			scan->at += as->raw.len;
			reader->next = i + 1;
			return as;
		}
	}
	return read_name(reader);
}

/* ---- values ---- */

/* A scalar; nested values are not of this protocol. */
static inline bool
read_scalar(json_scan *scan, origin *value)
{
	json_skip_space(scan);
	if (scan->at == scan->end)
		return false;
	switch (*scan->at)
	{
		case '"':
			scan->at++;
			value->kind = TSTORE_JSON_STRING;
			return json_scan_string(scan, &value->text) == TSTORE_JSON_OK;
		case 'n':
			value->kind = TSTORE_JSON_NULL;
			return tstore_json_scan_word(scan, "null");
		case 't':
			value->kind = TSTORE_JSON_TRUE;
			value->text = TMODEL_SPAN("true");
			return tstore_json_scan_word(scan, "true");
		case 'f':
			value->kind = TSTORE_JSON_FALSE;
			value->text = TMODEL_SPAN("false");
			return tstore_json_scan_word(scan, "false");
		default:
			value->kind = TSTORE_JSON_NUMBER;
			return tstore_json_scan_number(scan, &value->text) ==
				TSTORE_JSON_OK;
	}
}

/* Remembers a type whose property does not stand beside it. */
static bool
note_late(entity_reader *reader)
{
	if (reader->before.name.data == NULL)
		return true;
	if (reader->nlate == reader->late_room &&
		!entity_grow(reader, (void **) &reader->late, reader->nlate,
					 &reader->late_room, 16, sizeof(annotation)))
		return false;
	reader->late[reader->nlate++] = reader->before;
	reader->before.name.data = NULL;
	return true;
}

/* Takes a type, which mostly is the one that stood here before. */
static bool
take_type(entity_reader *reader, member *as, tmodel_span text)
{
	if (!note_late(reader))
		return false;
	if (as->type_text.data == NULL || !tmodel_span_equal(as->type_text, text))
	{
		as->type_text = text;
		as->type = tmodel_type_of_name(text);
	}
	reader->before.name = as->name;
	reader->before.type = as->type;
	return true;
}

static bool
take_property(entity_reader *reader, const member *as, const origin *value)
{
	tmodel_entity *entity = reader->entity;
	tmodel_property *property;
	bool		typed = false;

	if (reader->before.name.data != NULL)
	{
		typed = tmodel_span_equal(reader->before.name, as->name);
		if (!typed && !note_late(reader))
			return false;
		reader->before.name.data = NULL;
	}
	if (value->kind == TSTORE_JSON_NULL)
		return true;
	if (reader->nproperties == reader->room && !new_properties(reader))
		return false;
	if (entity->nproperties == reader->origins_room &&
		!entity_grow(reader, (void **) &reader->origins, entity->nproperties,
					 &reader->origins_room, 16, sizeof(origin)))
		return false;
	property = &entity->properties[entity->nproperties];
	reader->origins[entity->nproperties++] = *value;
	reader->nproperties++;
	property->name = as->name;
	if (typed)
		typed_value(reader, value, reader->before.type, &property->value);
	else if (value->kind == TSTORE_JSON_STRING)
	{
		property->value.type = TMODEL_STRING;
		property->value.u.bytes = value->text;
	}
	else
		plain_value(reader, value, &property->value);
	return true;
}

/* A member inside an entity: key, metadata or property. */
static inline bool
take_member(entity_reader *reader, member *as, const origin *value)
{
	bool		is_text = value->kind == TSTORE_JSON_STRING;
	tmodel_value stamp;

	switch (as->kind)
	{
		case MEMBER_METADATA:
			return true;
		case MEMBER_TYPE:
			return !is_text || value->text.len == 0 ||
				take_type(reader, as, value->text);
		case MEMBER_PARTITION_KEY:
			if (!is_text)
				break;
			reader->entity->partition_key = value->text;
			return true;
		case MEMBER_ROW_KEY:
			if (!is_text)
				break;
			reader->entity->row_key = value->text;
			return true;
		case MEMBER_ETAG:
			if (!is_text)
				return true;
			reader->entity->etag = value->text;
			return true;
		case MEMBER_TIMESTAMP:
			if (!is_text)
				break;
			if (tmodel_value_parse(reader->arena, TMODEL_DATETIME, value->text,
								   &stamp))
				reader->entity->timestamp = stamp.u.ticks;
			return true;
		case MEMBER_PROPERTY:
			break;
	}
	return take_property(reader, as, value);
}

/* Types that did not stand before their properties. */
static bool
apply_late(entity_reader *reader)
{
	tmodel_entity *entity = reader->entity;

	if (!note_late(reader))
		return false;
	for (int i = 0; i < reader->nlate; i++)
		for (int j = 0; j < entity->nproperties; j++)
			if (tmodel_span_equal(entity->properties[j].name,
								  reader->late[i].name))
				typed_value(reader, &reader->origins[j],
							reader->late[i].type,
							&entity->properties[j].value);
	reader->nlate = 0;
	return true;
}

/* Reads the members of an entity whose opening brace was taken. */
static bool
read_members(entity_reader *reader)
{
	json_scan  *scan = &reader->scan;

	reader->next = 0;
	json_skip_space(scan);
	if (json_take(scan, '}'))
		return true;
	for (;;)
	{
		member	   *as = next_name(reader);
		origin		value;

		if (as == NULL || !read_scalar(scan, &value) ||
			!take_member(reader, as, &value))
			return false;
		if (scan->at < scan->end && *scan->at == ',')
			scan->at++;
		else if (json_take(scan, '}'))
			return (reader->before.name.data == NULL && reader->nlate == 0) ||
				apply_late(reader);
		else if (!json_take(scan, ','))
			return false;
		json_skip_space(scan);
	}
}

/* Reads an entity whose opening brace was taken. */
static bool
read_entity(entity_reader *reader)
{
	tmodel_entity *entity;

	if (reader->nentities == reader->capacity &&
		!entity_grow(reader, (void **) &reader->entities, reader->nentities,
					 &reader->capacity, reader->first_entities,
					 sizeof(tmodel_entity)))
		return false;
	entity = &reader->entities[reader->nentities++];
	memset(entity, 0, sizeof(*entity));
	entity->timestamp = -1;
	reader->entity = entity;
	if (reader->room == 0 && !new_properties(reader))
		return false;
	entity->properties = reader->properties + reader->nproperties;
	reader->before.name.data = NULL;
	return read_members(reader);
}

/* The entities of a page, whose opening bracket was taken. */
static bool
read_list(entity_reader *reader)
{
	if (json_take(&reader->scan, ']'))
		return true;
	do
	{
		if (!json_take(&reader->scan, '{') || !read_entity(reader))
			return false;
	} while (json_take(&reader->scan, ','));
	return json_take(&reader->scan, ']');
}

/* The object around the page's "value"; other members are moved over. */
static bool
read_page(entity_reader *reader)
{
	json_scan  *scan = &reader->scan;
	bool		found = false;

	if (!json_take(scan, '{') || json_take(scan, '}'))
		return false;
	do
	{
		tmodel_span name;

		if (!json_take(scan, '"') ||
			json_scan_string(scan, &name) != TSTORE_JSON_OK ||
			!json_take(scan, ':'))
			return false;
		json_skip_space(scan);
		if (!found && name_is(name, "value") && json_take(scan, '['))
		{
			found = true;
			if (!read_list(reader))
				return false;
		}
		else if (tstore_json_scan_value(scan) != TSTORE_JSON_OK)
			return false;
	} while (json_take(scan, ','));
	return found && json_take(scan, '}');
}

/* What became of it; nothing may stand behind. */
static tstore_status
outcome(entity_reader *reader, bool read)
{
	json_skip_space(&reader->scan);
	if (reader->no_memory || reader->arena->failed)
		return TSTORE_NO_MEMORY;
	return read && reader->scan.at == reader->scan.end ? TSTORE_OK :
		TSTORE_PROTOCOL;
}

/* Fills in all but the large tables, which need no beginning. */
static void
begin(entity_reader *reader, tmodel_arena *arena, tmodel_span json, int room)
{
	size_t		entities = json.len / ENTITY_BYTES + 1;

	memset(&reader->other, 0, sizeof(*reader) - offsetof(entity_reader, other));
	reader->scan = (json_scan) {json.data, json.data + json.len, arena};
	reader->arena = arena;
	reader->no_memory = false;
	reader->first_room = room;
	reader->first_entities = entities < PAGE_ENTITIES ? (int) entities :
		PAGE_ENTITIES;
	reader->nmembers = 0;
	reader->next = 0;
}

/* See response.h. */
tstore_status
tstore_entity_read(tmodel_arena *arena, tmodel_span json,
				   tmodel_entity *entity)
{
	entity_reader reader;
	tstore_status status;

	begin(&reader, arena, json, FIRST_PROPERTIES);
	status = outcome(&reader, json_take(&reader.scan, '{') &&
					 read_entity(&reader));
	if (status == TSTORE_OK)
		*entity = reader.entities[0];
	return status;
}

/* See response.h. */
tstore_status
tstore_page_read(tmodel_arena *arena, tmodel_span json, int *nentities,
				 tmodel_entity **entities)
{
	entity_reader reader;
	tstore_status status;

	begin(&reader, arena, json, PAGE_PROPERTIES);
	status = outcome(&reader, read_page(&reader));
	if (status == TSTORE_OK)
	{
		*nentities = reader.nentities;
		*entities = reader.entities;
	}
	return status;
}
