/*
 * entity.c
 *	  Entities: properties by name, copies, and whether the store takes them.
 *
 * Does not know keys (key.h) nor which property belongs to which column.
 * Called by everything that reads or writes entities.
 *
 * Easy to break: a property whose value is TMODEL_NULL counts as absent
 * everywhere, also in limits and comparisons.
 */
#include "entity.h"
#include "utf8.h"

#include <string.h>

#define MAX_PROPERTIES 252
#define MAX_NAME_UNITS 255
#define MAX_STRING_UNITS 32768
#define MAX_BINARY_BYTES 65536
#define MAX_ENTITY_BYTES ((size_t) 1024 * 1024)

/* The place of a property among the properties, -1 when there is none. */
static int
find(const tmodel_entity *entity, tmodel_span name)
{
	for (int i = 0; i < entity->nproperties; i++)
	{
		if (tmodel_span_equal(entity->properties[i].name, name))
			return i;
	}
	return -1;
}

/* The property's value; NULL when absent. */
const tmodel_value *
tmodel_entity_get(const tmodel_entity *entity, tmodel_span name)
{
	int			at = find(entity, name);

	if (at < 0 || entity->properties[at].value.type == TMODEL_NULL)
		return NULL;
	return &entity->properties[at].value;
}

/* Is the name one of ours? */
bool
tmodel_is_reserved(tmodel_span property_name)
{
	tmodel_span prefix = TMODEL_SPAN(TMODEL_RESERVED_PREFIX);

	return property_name.len >= prefix.len &&
		memcmp(property_name.data, prefix.data, prefix.len) == 0;
}

/* Is the property there, a Boolean, and true? */
static bool
is_true(const tmodel_entity *entity, tmodel_span name)
{
	const tmodel_value *value = tmodel_entity_get(entity, name);

	return value != NULL && value->type == TMODEL_BOOLEAN && value->u.boolean;
}

/* A fact that only reserves its keys. */
bool
tmodel_entity_is_stub(const tmodel_entity *entity)
{
	return is_true(entity, TMODEL_SPAN(TMODEL_P_STUB));
}

/* An entry that may answer without a look at its fact. */
bool
tmodel_entity_is_verified(const tmodel_entity *entity)
{
	return is_true(entity, TMODEL_SPAN(TMODEL_P_VERIFIED));
}

/* Does the property take part in comparisons of content? */
static bool
is_content(const tmodel_property *property)
{
	return property->value.type != TMODEL_NULL &&
		!tmodel_is_reserved(property->name);
}

/* How many properties are content. */
static int
count_content(const tmodel_entity *entity)
{
	int			count = 0;

	for (int i = 0; i < entity->nproperties; i++)
		count += is_content(&entity->properties[i]);
	return count;
}

/* The order of properties does not matter. */
bool
tmodel_entity_same_content(const tmodel_entity *a, const tmodel_entity *b)
{
	if (!tmodel_span_equal(a->partition_key, b->partition_key) ||
		!tmodel_span_equal(a->row_key, b->row_key) ||
		count_content(a) != count_content(b))
		return false;
	for (int i = 0; i < a->nproperties; i++)
	{
		const tmodel_value *other;

		if (!is_content(&a->properties[i]))
			continue;
		other = tmodel_entity_get(b, a->properties[i].name);
		if (other == NULL ||
			!tmodel_value_equal(&a->properties[i].value, other))
			return false;
	}
	return true;
}

/* A copy with its own array of properties, "extra" of them unused. */
tmodel_entity *
tmodel_entity_extend(tmodel_arena *arena, const tmodel_entity *entity,
					 int extra)
{
	size_t		count = (size_t) entity->nproperties + (size_t) extra;
	tmodel_entity *copy = tmodel_alloc(arena, sizeof(tmodel_entity));
	tmodel_property *properties = tmodel_alloc(arena,
											   count * sizeof(*properties));

	if (copy == NULL || properties == NULL)
		return NULL;
	*copy = *entity;
	if (entity->nproperties > 0)
		memcpy(properties, entity->properties,
			   (size_t) entity->nproperties * sizeof(*properties));
	copy->properties = properties;
	return copy;
}

/* A deep copy; a failure on the way shows in a missing copy of some bytes. */
tmodel_entity *
tmodel_entity_copy(tmodel_arena *arena, const tmodel_entity *entity)
{
	tmodel_entity *copy = tmodel_entity_extend(arena, entity, 0);

	if (copy == NULL)
		return NULL;
	copy->partition_key = tmodel_span_copy(arena, entity->partition_key);
	copy->row_key = tmodel_span_copy(arena, entity->row_key);
	copy->etag = tmodel_span_copy(arena, entity->etag);
	if (copy->partition_key.data == NULL || copy->row_key.data == NULL ||
		copy->etag.data == NULL)
		return NULL;
	for (int i = 0; i < copy->nproperties; i++)
	{
		tmodel_property *property = &copy->properties[i];
		tmodel_type type = property->value.type;

		property->name = tmodel_span_copy(arena, property->name);
		property->value = tmodel_value_copy(arena, &property->value);
		if (property->name.data == NULL || property->value.type != type)
			return NULL;
	}
	return copy;
}

/* Sets or, with TMODEL_NULL, removes; the others keep their order. */
void
tmodel_entity_set(tmodel_entity *entity, tmodel_span name,
				  const tmodel_value *value)
{
	int			at = find(entity, name);

	if (value->type == TMODEL_NULL)
	{
		if (at < 0)
			return;
		entity->nproperties--;
		memmove(&entity->properties[at], &entity->properties[at + 1],
				(size_t) (entity->nproperties - at) *
				sizeof(tmodel_property));
		return;
	}
	if (at < 0)
	{
		at = entity->nproperties++;
		entity->properties[at].name = name;
	}
	entity->properties[at].value = *value;
}

/* Is one value within the store's limit for its type? */
static bool
value_fits(const tmodel_value *value)
{
	if (value->type == TMODEL_STRING)
		return tmodel_utf16_units(value->u.bytes) <= MAX_STRING_UNITS;
	if (value->type == TMODEL_BINARY)
		return value->u.bytes.len <= MAX_BINARY_BYTES;
	return true;
}

/* The first limit broken; single properties before the whole. */
tmodel_fit
tmodel_entity_fit(const tmodel_entity *entity, int *property)
{
	int			count = 0;

	for (int i = 0; i < entity->nproperties; i++)
	{
		if (entity->properties[i].value.type == TMODEL_NULL)
			continue;
		count++;
		*property = i;
		if (!tmodel_property_name_ok(entity->properties[i].name))
			return TMODEL_FIT_NAME;
		if (!value_fits(&entity->properties[i].value))
			return TMODEL_FIT_VALUE_TOO_LARGE;
	}
	*property = -1;
	if (count > MAX_PROPERTIES)
		return TMODEL_FIT_TOO_MANY_PROPERTIES;
	if (tmodel_entity_size(entity) > MAX_ENTITY_BYTES)
		return TMODEL_FIT_ENTITY_TOO_LARGE;
	return TMODEL_FIT_OK;
}

/* By the formula of the service's documentation. */
size_t
tmodel_entity_size(const tmodel_entity *entity)
{
	size_t		size = 4 + 2 * (tmodel_utf16_units(entity->partition_key) +
								tmodel_utf16_units(entity->row_key));

	for (int i = 0; i < entity->nproperties; i++)
	{
		const tmodel_property *property = &entity->properties[i];

		if (property->value.type != TMODEL_NULL)
			size += 8 + 2 * tmodel_utf16_units(property->name) +
				tmodel_value_size(&property->value);
	}
	return size;
}

/*
 * May the code point be in an identifier?  Beyond ASCII the classes of Unicode
 * would decide; blocks that certainly hold no letters are refused, the rest is
 * left to the store.  Surrogate pairs are no letters in C#.
 */
static bool
is_name_character(uint32_t code, bool first)
{
	static const uint32_t no_letters[][2] = {
		{0x80, 0xA9}, {0xAB, 0xAC}, {0xAE, 0xB4}, {0xB6, 0xB9}, {0xBB, 0xBF},
		{0xD7, 0xD7}, {0xF7, 0xF7}, {0x2000, 0x200B}, {0x2010, 0x2029},
		{0x2190, 0x2BFF}, {0x3000, 0x3004}, {0xE000, 0xF8FF},
		{0xFFF0, 0x10FFFF}
	};

	if (code < 0x80)
		return code == '_' || (code >= 'A' && code <= 'Z') ||
			(code >= 'a' && code <= 'z') ||
			(!first && code >= '0' && code <= '9');
	for (size_t i = 0; i < sizeof(no_letters) / sizeof(no_letters[0]); i++)
	{
		if (code >= no_letters[i][0] && code <= no_letters[i][1])
			return false;
	}
	return true;
}

/* An identifier that is none of the three system properties. */
bool
tmodel_property_name_ok(tmodel_span name)
{
	if (name.len == 0 || tmodel_utf16_units(name) > MAX_NAME_UNITS ||
		tmodel_span_equal(name, TMODEL_SPAN("PartitionKey")) ||
		tmodel_span_equal(name, TMODEL_SPAN("RowKey")) ||
		tmodel_span_equal(name, TMODEL_SPAN("Timestamp")))
		return false;
	for (size_t at = 0; at < name.len;)
	{
		uint32_t	code;
		int			n = tmodel_utf8_decode(name.data + at, name.len - at,
										   &code);

		if (n == 0 || !is_name_character(code, at == 0))
			return false;
		at += (size_t) n;
	}
	return true;
}
