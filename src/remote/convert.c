/*
 * convert.c
 *	  The type map of the interface, both ways, in one place.
 *
 * Answers "how does this SQL value look in the store?".  Knows neither JSON
 * bodies (store/json) nor key text (model/key); sends nothing.  Called by
 * scans and by the change buffer.  Easy to break: text forms must not depend
 * on the session's settings (DateStyle and friends), see portable_output().
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "model/bucket.h"
#include "model/section.h"
#include "remote/convert.h"
#include "remote/memory.h"

/* 1601-01-01 to 2000-01-01, and from there to the store's last moment */
#define EPOCH_DAYS 145731
#define EPOCH_MICROS (EPOCH_DAYS * USECS_PER_DAY)
#define TICKS_PER_MICRO 10
#define TICKS_PER_DAY (USECS_PER_DAY * TICKS_PER_MICRO)
#define LAST_MICROS (TMODEL_TICKS_MAX / TICKS_PER_MICRO - EPOCH_MICROS)
#define LAST_DAY (TMODEL_TICKS_MAX / TICKS_PER_DAY - EPOCH_DAYS)

static void
cannot_store(const itableColumn *column, const char *why)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
			 errmsg("column \"%s\": the store cannot hold %s", column->attname,
					why),
			 errhint("The store's dates go from 1601-01-01 to 9999-12-31.")));
}

/* Text in UTF-8 in the arena, whatever the database's encoding. */
static tmodel_span
to_utf8(tmodel_arena *arena, const char *text, int len)
{
	char	   *utf8 = pg_server_to_any(text, len, PG_UTF8);
	tmodel_span span = {utf8, utf8 == text ? len : strlen(utf8)};

	span = tmodel_span_copy(arena, span);
	itable_check_arena(arena);
	return span;
}

/*
 * In each type's own unit, before anything is multiplied: PostgreSQL's dates go
 * further than 64 bits of ticks.
 */
bool
itable_is_storable(Oid type, Datum datum)
{
	switch (type)
	{
		case DATEOID:
			{
				DateADT		date = DatumGetDateADT(datum);

				return date >= -EPOCH_DAYS && date <= LAST_DAY;
			}
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			{
				Timestamp	stamp = DatumGetTimestamp(datum);

				return stamp >= -EPOCH_MICROS && stamp <= LAST_MICROS;
			}
		default:
			return true;
	}
}

static tmodel_value
date_value(const itableColumn *column, DateADT date)
{
	if (!itable_is_storable(DATEOID, DateADTGetDatum(date)))
		cannot_store(column, DATE_NOT_FINITE(date) ? "an infinite date" :
					 "a date outside its range");
	return tmodel_datetime(((int64) date + EPOCH_DAYS) * TICKS_PER_DAY);
}

static tmodel_value
timestamp_value(const itableColumn *column, Timestamp stamp)
{
	if (!itable_is_storable(TIMESTAMPOID, TimestampGetDatum(stamp)))
		cannot_store(column, TIMESTAMP_NOT_FINITE(stamp) ?
					 "an infinite timestamp" :
					 "a timestamp outside its range");
	return tmodel_datetime((stamp + EPOCH_MICROS) * TICKS_PER_MICRO);
}

/*
 * Output that another session reads the same way: the settings pg_dump and
 * postgres_fdw use.
 */
static char *
portable_output(FmgrInfo *output, Datum datum)
{
	int			level = NewGUCNestLevel();
	char	   *text;

	(void) set_config_option("datestyle", "ISO", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("intervalstyle", "postgres", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("extra_float_digits", "3", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	text = OutputFunctionCall(output, datum);
	AtEOXact_GUC(true, level);
	return text;
}

/* Is the type's text form the same under all settings? */
static bool
is_settled(Oid type)
{
	switch (type)
	{
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case JSONOID:
		case JSONBOID:
		case NUMERICOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case BOOLOID:
		case UUIDOID:
			return true;
		default:
			return false;
	}
}

static char *
text_form(const itableColumn *column, Oid type, Datum datum)
{
	FmgrInfo   *output = (FmgrInfo *) &column->output;

	if (is_settled(type))
		return OutputFunctionCall(output, datum);
	return portable_output(output, datum);
}

/* A one-dimensional array as JSON text. */
static tmodel_value
array_value(tmodel_arena *arena, const itableColumn *column, Datum datum)
{
	ArrayType  *array = DatumGetArrayTypeP(datum);
	Datum	   *elements;
	bool	   *nulls;
	bool	   *quoted;
	tmodel_list list;
	tmodel_buf	text;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\": the store cannot hold an array of %d dimensions",
						column->attname, ARR_NDIM(array)),
				 errhint("Store such a value as jsonb.")));
	deconstruct_array(array, column->element_type, column->element_len,
					  column->element_byval, column->element_align,
					  &elements, &nulls, &list.nelements);
	list.elements = tmodel_alloc(arena, sizeof(tmodel_element) *
								 (list.nelements + 1));
	itable_check_arena(arena);
	quoted = palloc(list.nelements + 1);
	for (int i = 0; i < list.nelements; i++)
	{
		quoted[i] = column->element_quoted;
		list.elements[i].is_null = nulls[i];
		if (!nulls[i])
		{
			char	   *element = text_form(column, column->element_type,
											elements[i]);

			if (column->element_type == BOOLOID)
				element = element[0] == 't' ? "true" : "false";
			list.elements[i].text = to_utf8(arena, element, strlen(element));
		}
	}
	tmodel_buf_init(&text, arena);
	tmodel_list_print(&text, &list, quoted);
	itable_check_arena(arena);
	return tmodel_string(tmodel_buf_text(&text));
}

/* The natural value of a type of our map; false for all others. */
static bool
natural_value(tmodel_arena *arena, const itableColumn *column, Oid type,
			  Datum datum, tmodel_value *value)
{
	switch (type)
	{
		case INT2OID:
			*value = tmodel_int32(DatumGetInt16(datum));
			return true;
		case INT4OID:
			*value = tmodel_int32(DatumGetInt32(datum));
			return true;
		case INT8OID:
			*value = tmodel_int64(DatumGetInt64(datum));
			return true;
		case FLOAT4OID:
			*value = tmodel_double(DatumGetFloat4(datum));
			return true;
		case FLOAT8OID:
			*value = tmodel_double(DatumGetFloat8(datum));
			return true;
		case BOOLOID:
			*value = tmodel_boolean(DatumGetBool(datum));
			return true;
		case DATEOID:
			*value = date_value(column, DatumGetDateADT(datum));
			return true;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			*value = timestamp_value(column, DatumGetTimestamp(datum));
			return true;
		case UUIDOID:
			value->type = TMODEL_GUID;
			memcpy(value->u.guid, DatumGetUUIDP(datum)->data, 16);
			return true;
		case BYTEAOID:
			{
				bytea	   *bytes = DatumGetByteaPP(datum);
				tmodel_span span = {VARDATA_ANY(bytes),
				VARSIZE_ANY_EXHDR(bytes)};

				value->type = TMODEL_BINARY;
				value->u.bytes = tmodel_span_copy(arena, span);
				itable_check_arena(arena);
				return true;
			}
		case TEXTOID:
		case VARCHAROID:
			{
				text	   *string = DatumGetTextPP(datum);

				*value = tmodel_string(to_utf8(arena, VARDATA_ANY(string),
											   VARSIZE_ANY_EXHDR(string)));
				return true;
			}
		default:
			return false;
	}
}

/* A value the edm_type option wants in another form than the natural one. */
static tmodel_value
forced_value(tmodel_arena *arena, const itableColumn *column,
			 tmodel_value value)
{
	tmodel_buf	text;
	tmodel_value result;

	if (value.type == column->edm)
		return value;
	tmodel_buf_init(&text, arena);
	tmodel_value_print(&text, &value);
	itable_check_arena(arena);
	if (column->edm == TMODEL_STRING)
		return tmodel_string(tmodel_buf_text(&text));
	if (!tmodel_value_parse(arena, column->edm, tmodel_buf_text(&text),
							&result))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\": the value does not read as %s",
						column->attname, tmodel_type_name(column->edm)),
				 errhint("Change the column's option \"edm_type\".")));
	return result;
}

static tmodel_value
scalar_value(tmodel_arena *arena, const itableColumn *column, Oid type,
			 Datum datum)
{
	tmodel_value value;

	if (!natural_value(arena, column, type, datum, &value))
	{
		char	   *text = text_form(column, type, datum);

		value = tmodel_string(to_utf8(arena, text, strlen(text)));
	}
	return value;
}

tmodel_value
itable_to_value(tmodel_arena *arena, const itableColumn *column,
				Datum datum, bool isnull)
{
	tmodel_value none = {TMODEL_NULL};

	if (isnull)
		return none;
	if (OidIsValid(column->element_type))
		return array_value(arena, column, datum);
	return forced_value(arena, column,
						scalar_value(arena, column, column->base_type,
									 datum));
}

tmodel_value
itable_to_key_value(tmodel_arena *arena, const itableColumn *column,
					Datum datum)
{
	Oid			type = OidIsValid(column->element_type) ?
	column->element_type : column->base_type;

	return scalar_value(arena, column, type, datum);
}

/* Text of the store into the database's encoding, zero-terminated. */
static char *
from_utf8(tmodel_span span)
{
	char	   *copy = pnstrdup(span.data != NULL ? span.data : "", span.len);

	if (strlen(copy) != span.len)
		ereport(ERROR,
				(errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
				 errmsg("the store holds text with a zero character, which PostgreSQL cannot")));
	return pg_any_to_server(copy, span.len, PG_UTF8);
}

/*
 * The same as a text Datum, copied once.  That it is UTF-8 was seen by whoever
 * made the value: the JSON reader, the key decoder, or ourselves.
 */
static Datum
text_from_utf8(tmodel_span span)
{
	text	   *result;

	if (GetDatabaseEncoding() != PG_UTF8 || span.len == 0 ||
		memchr(span.data, 0, span.len) != NULL)
		return PointerGetDatum(cstring_to_text(from_utf8(span)));
	result = palloc(VARHDRSZ + span.len);
	SET_VARSIZE(result, VARHDRSZ + span.len);
	memcpy(VARDATA(result), span.data, span.len);
	return PointerGetDatum(result);
}

/*
 * An array of texts, which lie in it where they belong: as construct_md_array
 * would make it, without a Datum for each.  list.h: no text has a zero byte.
 */
static Datum
text_array(const tmodel_list *list)
{
	Size		overhead = ARR_OVERHEAD_NONULLS(1);
	Size		size;
	ArrayType  *array;
	char	   *at;
	int			nnulls = 0;

	for (int i = 0; i < list->nelements; i++)
		nnulls += list->elements[i].is_null;
	if (nnulls > 0)
		overhead = ARR_OVERHEAD_WITHNULLS(1, list->nelements);
	size = overhead;
	for (int i = 0; i < list->nelements; i++)
		if (!list->elements[i].is_null)
			size += INTALIGN(VARHDRSZ + list->elements[i].text.len);
	array = palloc(size);
	if (nnulls > 0)
		memset(array, 0, overhead);
	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->dataoffset = nnulls > 0 ? overhead : 0;
	array->elemtype = TEXTOID;
	ARR_DIMS(array)[0] = list->nelements;
	ARR_LBOUND(array)[0] = 1;
	at = ARR_DATA_PTR(array);
	for (int i = 0; i < list->nelements; i++)
	{
		tmodel_span text = list->elements[i].text;
		Size		len = VARHDRSZ + text.len;

		if (list->elements[i].is_null)
			continue;
		if (nnulls > 0)
			ARR_NULLBITMAP(array)[i / 8] |= 1 << (i % 8);
		/* what is left of the last word is zero */
		*(uint32 *) (at + INTALIGN(len) - sizeof(uint32)) = 0;
		SET_VARSIZE(at, len);
		memcpy(VARDATA(at), text.data, text.len);
		at += INTALIGN(len);
	}
	return PointerGetDatum(array);
}

static Datum
array_from_value(tmodel_arena *arena, const itableColumn *column,
				 const tmodel_value *value)
{
	tmodel_list list;
	Datum	   *elements;
	bool	   *nulls;
	int			dims[1];
	int			lower[1] = {1};

	if (value->type != TMODEL_STRING ||
		!tmodel_list_parse(arena, value->u.bytes, &list))
	{
		itable_check_arena(arena);
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("column \"%s\": the store's value is not a JSON array of scalars",
						column->attname),
				 errhint("Declare the column as text or jsonb to see it.")));
	}
	if (list.nelements == 0)
		return PointerGetDatum(construct_empty_array(column->element_type));
	if (column->element_type == TEXTOID && GetDatabaseEncoding() == PG_UTF8)
		return text_array(&list);
	elements = palloc(sizeof(Datum) * (list.nelements + 1));
	nulls = palloc(sizeof(bool) * (list.nelements + 1));
	for (int i = 0; i < list.nelements; i++)
	{
		nulls[i] = list.elements[i].is_null;
		if (nulls[i])
			elements[i] = (Datum) 0;
		else if (column->element_type == TEXTOID)
			elements[i] = text_from_utf8(list.elements[i].text);
		else
			elements[i] = InputFunctionCall((FmgrInfo *) &column->input,
											from_utf8(list.elements[i].text),
											column->input_param,
											column->typmod);
	}
	dims[0] = list.nelements;
	return PointerGetDatum(construct_md_array(elements, nulls, 1, dims, lower,
											  column->element_type,
											  column->element_len,
											  column->element_byval,
											  column->element_align));
}

/* The fast ways: the store's type is the natural one of the SQL type. */
static bool
direct_from_value(Oid type, const tmodel_value *value, Datum *datum)
{
	switch (type)
	{
		case INT4OID:
			*datum = Int32GetDatum(value->u.int32);
			return value->type == TMODEL_INT32;
		case INT8OID:
			*datum = Int64GetDatum(value->type == TMODEL_INT32 ?
								   value->u.int32 : value->u.int64);
			return value->type == TMODEL_INT64 || value->type == TMODEL_INT32;
		case FLOAT8OID:
			*datum = Float8GetDatum(value->type == TMODEL_INT32 ?
									value->u.int32 : value->u.number);
			return value->type == TMODEL_DOUBLE || value->type == TMODEL_INT32;
		case FLOAT4OID:
			*datum = Float4GetDatum((float4) value->u.number);
			return value->type == TMODEL_DOUBLE;
		case BOOLOID:
			*datum = BoolGetDatum(value->u.boolean);
			return value->type == TMODEL_BOOLEAN;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			if (value->type != TMODEL_DATETIME)
				return false;
			*datum = TimestampGetDatum(value->u.ticks / TICKS_PER_MICRO - EPOCH_MICROS);
			return true;
		case DATEOID:
			if (value->type != TMODEL_DATETIME)
				return false;
			*datum = DateADTGetDatum(value->u.ticks / TICKS_PER_DAY -
									 EPOCH_DAYS);
			return true;
		case UUIDOID:
			{
				pg_uuid_t  *uuid;

				if (value->type != TMODEL_GUID)
					return false;
				uuid = palloc(sizeof(pg_uuid_t));
				memcpy(uuid->data, value->u.guid, 16);
				*datum = UUIDPGetDatum(uuid);
				return true;
			}
		case BYTEAOID:
			if (value->type != TMODEL_BINARY)
				return false;
			*datum = PointerGetDatum(cstring_to_text_with_len(value->u.bytes.data,
															  value->u.bytes.len));
			return true;
		case TEXTOID:
			if (value->type != TMODEL_STRING)
				return false;
			*datum = text_from_utf8(value->u.bytes);
			return true;
		default:
			return false;
	}
}

Datum
itable_from_value(tmodel_arena *arena, const itableColumn *column,
				  const tmodel_value *value, bool *isnull)
{
	Datum		datum;
	tmodel_buf	text;
	tmodel_value typed;
	Oid			type = column->base_type;

	*isnull = value == NULL || value->type == TMODEL_NULL;
	if (*isnull)
		return (Datum) 0;
	/* most values of most tables */
	if (column->type == TEXTOID && column->edm == TMODEL_STRING &&
		value->type == TMODEL_STRING)
		return text_from_utf8(value->u.bytes);
	if (column->type == INT4OID && value->type == TMODEL_INT32)
		return Int32GetDatum(value->u.int32);
	if (OidIsValid(column->element_type))
		return array_from_value(arena, column, value);
	/* pages without types: what stands in quotes comes as a String */
	if (value->type == TMODEL_STRING &&
		(column->edm == TMODEL_INT64 || column->edm == TMODEL_DATETIME ||
		 column->edm == TMODEL_GUID) &&
		tmodel_value_parse(arena, column->edm, value->u.bytes, &typed))
		value = &typed;
	/* option edm_type 'Edm.String': see forced_value() */
	if (type == BYTEAOID && column->edm == TMODEL_STRING &&
		value->type == TMODEL_STRING &&
		tmodel_value_parse(arena, TMODEL_BINARY, value->u.bytes, &typed))
		value = &typed;
	itable_check_arena(arena);
	if (direct_from_value(type, value, &datum))
	{
		if (type != column->type)
			domain_check(datum, false, column->type,
						 (void **) &column->domain_check,
						 column->input.fn_mcxt);
		return datum;
	}
	tmodel_buf_init(&text, arena);
	tmodel_value_print(&text, value);
	itable_check_arena(arena);
	return InputFunctionCall((FmgrInfo *) &column->input,
							 from_utf8(tmodel_buf_text(&text)),
							 column->input_param, column->typmod);
}

bool
itable_reads_plain(const itableTable *table, const bool *wanted)
{
	for (int i = 0; i < table->natts; i++)
	{
		const itableColumn *column = table->columns[i];

		if (column == NULL || !wanted[i])
			continue;
		/* any text may be base64, so a String could be mistaken for Binary */
		if (column->kind == ITABLE_ETAG ||
			(column->kind == ITABLE_PROPERTY && column->edm == TMODEL_BINARY))
			return false;
	}
	return true;
}

void
itable_key_failed(const itableTable *table, bool partition,
				  tmodel_key_status status)
{
	const char *key = partition ? "partition key" : "row key";

	switch (status)
	{
		case TMODEL_KEY_ILLEGAL:
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s of \"%s\" contains a character the store forbids",
							key, table->relname),
					 errhint("Slash, backslash, number sign, question mark and control characters need key_encoding 'escaped'.")));
			break;
		case TMODEL_KEY_TOO_LONG:
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("%s of \"%s\" is too long", key, table->relname),
					 errdetail("The store's keys have at most %d UTF-16 units, escapes included.",
							   TMODEL_KEY_MAX_UNITS)));
			break;
		case TMODEL_KEY_MALFORMED:
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("%s of an entity of \"%s\" is not in the table's key encoding",
							key, table->relname),
					 table->encoding == TMODEL_KEY_RAW ?
					 errhint("Declare the key column as text to see it.") :
					 errhint("For tables written by other programs use key_encoding 'raw'.")));
			break;
		case TMODEL_KEY_MISMATCH:
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("%s of \"%s\" does not fit its column's type", key,
							table->relname)));
			break;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_OUT_OF_MEMORY),
					 errmsg("out of memory")));
	}
}

static tmodel_span
row_key_of(tmodel_arena *arena, const itableTable *table, bool partition,
		   const Datum *values, const bool *isnull)
{
	int			n = partition ? table->npartition : table->nrow;
	itableColumn **columns = partition ? table->partition : table->row;
	tmodel_value *parts = palloc(sizeof(tmodel_value) * n);
	tmodel_span key;
	tmodel_key_status status;

	for (int i = 0; i < n; i++)
	{
		int			at = columns[i]->attnum - 1;

		if (isnull[at])
			ereport(ERROR,
					(errcode(ERRCODE_NOT_NULL_VIOLATION),
					 errmsg("null value in key column \"%s\" of foreign table \"%s\"",
							columns[i]->attname, table->relname)));
		parts[i] = itable_to_key_value(arena, columns[i], values[at]);
	}
	status = tmodel_key_encode(arena, table->encoding, n,
							   partition ? table->partition_types :
							   table->row_types, parts, &key);
	if (status != TMODEL_KEY_OK)
		itable_key_failed(table, partition, status);
	return key;
}

static void
check_fit(const itableTable *table, const tmodel_entity *entity)
{
	int			which;
	tmodel_fit	fit = tmodel_entity_fit(entity, &which);
	char	   *name = which >= 0 ?
	itable_cstring(entity->properties[which].name) : "";

	if (fit == TMODEL_FIT_OK)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 fit == TMODEL_FIT_VALUE_TOO_LARGE ?
			 errmsg("value of property \"%s\" is too large for the store", name) :
			 fit == TMODEL_FIT_NAME ?
			 errmsg("the store does not take \"%s\" as a property name", name) :
			 errmsg("row of \"%s\" is too large for the store", table->relname),
			 fit == TMODEL_FIT_VALUE_TOO_LARGE ?
			 errdetail("A String or Binary property has at most 64 KiB (text counts two bytes per UTF-16 unit).") :
			 fit == TMODEL_FIT_TOO_MANY_PROPERTIES ?
			 errdetail("An entity has at most 252 properties.") :
			 errdetail("An entity has at most 1 MiB.")));
}

void
itable_fill_buckets(tmodel_arena *arena, const itableTable *table,
					Datum *values, bool *isnull, bool check)
{
	for (int i = 0; i < table->npartition; i++)
	{
		itableColumn *column = table->partition[i];
		int			at = column->attnum - 1;
		tmodel_value of;
		tmodel_value bucket;

		if (column->hashed == NULL || isnull[column->hashed->attnum - 1])
			continue;
		of = itable_to_key_value(arena, column->hashed,
								 values[column->hashed->attnum - 1]);
		if (tmodel_key_bucket(arena, column->hashed->key_type, &of,
							  column->buckets, column->key_type,
							  &bucket) != TMODEL_KEY_OK)
			itable_key_failed(table, true, TMODEL_KEY_MISMATCH);
		if (check && !isnull[at])
		{
			tmodel_value given = itable_to_key_value(arena, column,
													 values[at]);

			if (!tmodel_value_equal(&given, &bucket))
				ereport(ERROR,
						(errcode(ERRCODE_CHECK_VIOLATION),
						 errmsg("hashed key column \"%s\" has another value than its hash",
								column->attname),
						 errhint("Leave the column out; it is computed from \"%s\".",
								 column->hashed->attname)));
		}
		values[at] = itable_from_value(arena, column, &bucket, &isnull[at]);
	}
}

tmodel_entity *
itable_row_to_entity(tmodel_arena *arena, const itableTable *table,
					 const Datum *values, const bool *isnull)
{
	tmodel_entity *entity = tmodel_alloc(arena, sizeof(tmodel_entity));

	itable_check_arena(arena);
	entity->timestamp = -1;
	entity->partition_key = row_key_of(arena, table, true, values, isnull);
	entity->row_key = row_key_of(arena, table, false, values, isnull);
	entity->properties = tmodel_alloc(arena, sizeof(tmodel_property) *
									  (table->natts + 1));
	itable_check_arena(arena);
	for (int i = 0; i < table->natts; i++)
	{
		itableColumn *column = table->columns[i];
		tmodel_property *property;

		if (column == NULL || column->kind != ITABLE_PROPERTY || isnull[i])
			continue;
		property = &entity->properties[entity->nproperties++];
		/* the entity may outlive the table's definition */
		property->name = tmodel_span_copy(arena, column->property);
		property->value = itable_to_value(arena, column, values[i], false);
	}
	itable_check_arena(arena);
	check_fit(table, entity);
	return entity;
}

/* Decodes one key into its columns' places. */
static void
key_to_row(tmodel_arena *arena, const itableTable *table, bool partition,
		   tmodel_span key, const tmodel_entity *entity, const bool *wanted,
		   Datum *values, bool *isnull)
{
	int			n = partition ? table->npartition : table->nrow;
	int			nparts = partition ? table->npartition_parts : table->nrow;
	itableColumn **columns = partition ? table->partition : table->row;
	tmodel_value *parts = tmodel_alloc(arena, sizeof(tmodel_value) * nparts);
	tmodel_key_status status;
	bool		shortened = itable_is_index(table) &&
	tmodel_key_is_shortened(key);

	itable_check_arena(arena);
	if (!partition)
		key = tmodel_section_strip(table->section, key);
	for (int i = 0; shortened && i < n; i++)
	{
		const tmodel_value *value = tmodel_entity_get(entity,
													  columns[i]->property);

		if (value != NULL)
			parts[i] = *value;
	}
	if (!shortened)
	{
		status = tmodel_key_decode(arena, table->encoding, nparts,
								   partition ? table->partition_types :
								   table->row_types, key, parts);
		if (status != TMODEL_KEY_OK)
			itable_key_failed(table, partition, status);
	}
	for (int i = 0; i < n; i++)
	{
		int			at = columns[i]->attnum - 1;

		if (wanted == NULL || wanted[at])
			values[at] = itable_from_value(arena, columns[i], &parts[i],
										   &isnull[at]);
	}
}

static bool
wants_any(int n, itableColumn *const *columns, const bool *wanted)
{
	for (int i = 0; i < n; i++)
		if (wanted == NULL || wanted[columns[i]->attnum - 1])
			return true;
	return false;
}

/*
 * The property's value; entities mostly name properties in the order in which
 * they were asked for, so the search begins behind the last one found.
 */
static const tmodel_value *
find_property(const tmodel_entity *entity, tmodel_span name, int *next)
{
	for (int i = 0; i < entity->nproperties; i++)
	{
		int			at = *next < entity->nproperties ? *next : 0;

		*next = at + 1;
		if (tmodel_span_equal(entity->properties[at].name, name))
			return &entity->properties[at].value;
	}
	return NULL;
}

void
itable_entity_to_row(tmodel_arena *arena, const itableTable *table,
					 const tmodel_entity *entity, const bool *wanted,
					 Datum *values, bool *isnull)
{
	int			next = 0;

	for (int i = 0; i < table->natts; i++)
	{
		itableColumn *column = table->columns[i];

		isnull[i] = true;
		values[i] = (Datum) 0;
		if (column == NULL || (wanted != NULL && !wanted[i]))
			continue;
		if (column->kind == ITABLE_PROPERTY)
			values[i] = itable_from_value(arena, column,
										  find_property(entity,
														column->property,
														&next),
										  &isnull[i]);
		else if (column->kind == ITABLE_ETAG && entity->etag.len > 0)
		{
			values[i] = PointerGetDatum(cstring_to_text_with_len(entity->etag.data,
																 entity->etag.len));
			isnull[i] = false;
		}
		else if (column->kind == ITABLE_TIMESTAMP && entity->timestamp >= 0)
		{
			tmodel_value stamp = tmodel_datetime(entity->timestamp);

			values[i] = itable_from_value(arena, column, &stamp, &isnull[i]);
		}
	}
	if (wants_any(table->npartition, table->partition, wanted))
		key_to_row(arena, table, true, entity->partition_key, entity, wanted,
				   values, isnull);
	if (wants_any(table->nrow, table->row, wanted))
		key_to_row(arena, table, false, entity->row_key, entity, wanted,
				   values, isnull);
}
