/*
 * rows.c
 *	  Rows in as little memory as they need, or in a file.
 *
 * Answers "what was in this row?".  Knows nothing of commands, savepoints or
 * what a row is kept for (buffer.c).  Rows of one transaction end together, so
 * nothing is freed one by one, and the file only grows.
 *
 * Easy to break: an error while the file is written must leave every row where
 * it was, for a savepoint may be rolled back and the transaction go on.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "storage/fd.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/wait_event.h"

#include "remote/memory.h"
#include "table/settings.h"
#include "txn/rows.h"

/* What is written to the file at a time. */
#define WRITE_BYTES (128 * 1024)

/* A property's first word: the number of its name, and its type or SAME. */
#define TYPE_BITS 5
#define SAME_AS_LIKE 31			/* its place among the properties of "like" */
#define MAX_NAMES (1 << (32 - TYPE_BITS))

typedef struct nameSlot
{
	tmodel_span name;			/* hash key */
	uint32		number;
	char		status;
} nameSlot;

#define SH_PREFIX names
#define SH_ELEMENT_TYPE nameSlot
#define SH_KEY_TYPE tmodel_span
#define SH_KEY name
#define SH_HASH_KEY(tb, key) hash_bytes((const unsigned char *) (key).data, (key).len)
#define SH_EQUAL(tb, a, b) tmodel_span_equal(a, b)
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

typedef struct rowStore
{
	MemoryContext context;		/* until the transaction ends */
	tmodel_arena *headers;		/* rows, keys, names */
	tmodel_arena *contents;		/* of the rows in memory; emptied to the file */
	itableRow  *in_memory;
	names_hash *numbers;
	tmodel_span *names;			/* by number */
	uint32		nnames;
	uint32		max_names;
	StringInfoData packed;		/* of the row being kept */
	File		file;			/* 0: there is none */
	int64		file_bytes;
} rowStore;

static rowStore rows;

void
itable_rows_begin(MemoryContext context)
{
	memset(&rows, 0, sizeof(rows));
	rows.context = context;
	rows.headers = itable_arena(context);
	rows.contents = itable_arena(AllocSetContextCreate(context,
													   "itable_fdw rows",
													   ALLOCSET_DEFAULT_SIZES));
	rows.numbers = names_create(context, 32, NULL);
	rows.max_names = 32;
	rows.names = MemoryContextAlloc(context,
									rows.max_names * sizeof(tmodel_span));
}

void
itable_rows_end(void)
{
	if (rows.file > 0)
		FileClose(rows.file);
	memset(&rows, 0, sizeof(rows));
}

/* ---- packing ---- */

static uint32
number_of(tmodel_span name)
{
	nameSlot   *slot = names_lookup(rows.numbers, name);
	tmodel_span kept;
	bool		found;

	if (slot != NULL)
		return slot->number;
	if (rows.nnames == MAX_NAMES)
		elog(ERROR, "too many names of properties in one transaction");
	if (rows.nnames == rows.max_names)
	{
		rows.names = repalloc_huge(rows.names, 2 * (Size) rows.max_names *
								   sizeof(tmodel_span));
		rows.max_names *= 2;
	}
	kept = tmodel_span_copy(rows.headers, name);
	itable_check_arena(rows.headers);
	slot = names_insert(rows.numbers, kept, &found);
	slot->number = rows.nnames;
	rows.names[rows.nnames++] = kept;
	return slot->number;
}

static void
put(const void *bytes, Size len)
{
	appendBinaryStringInfo(&rows.packed, bytes, len);
}

static void
put_number(uint32 number)
{
	put(&number, sizeof(number));
}

static void
put_value(const tmodel_value *value)
{
	switch (value->type)
	{
		case TMODEL_NULL:
			break;
		case TMODEL_STRING:
		case TMODEL_BINARY:
			put_number(value->u.bytes.len);
			if (value->u.bytes.len > 0)
				put(value->u.bytes.data, value->u.bytes.len);
			break;
		case TMODEL_INT32:
			put(&value->u.int32, sizeof(value->u.int32));
			break;
		case TMODEL_BOOLEAN:
			put(&value->u.boolean, sizeof(value->u.boolean));
			break;
		case TMODEL_INT64:
		case TMODEL_DOUBLE:
		case TMODEL_DATETIME:
			put(&value->u.int64, sizeof(value->u.int64));
			break;
		case TMODEL_GUID:
			put(value->u.guid, sizeof(value->u.guid));
			break;
	}
}

/* Equal also in the sign of a zero. */
static bool
is_same(const tmodel_value *a, const tmodel_value *b)
{
	return tmodel_value_equal(a, b) &&
		(a->type != TMODEL_DOUBLE || a->u.int64 == b->u.int64);
}

/* The place of an equal property, -1 if there is none; tried first: "at". */
static int
find_same(const tmodel_property *property, const tmodel_entity *like, int at)
{
	for (int i = 0; i < like->nproperties; i++)
	{
		const tmodel_property *other =
			&like->properties[(at + i) % like->nproperties];

		if (tmodel_span_equal(other->name, property->name))
			return is_same(&other->value, &property->value) ?
				other - like->properties : -1;
	}
	return -1;
}

static void
pack(const tmodel_entity *entity, const tmodel_entity *like)
{
	if (rows.packed.data == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(rows.context);

		initStringInfo(&rows.packed);
		MemoryContextSwitchTo(old);
	}
	resetStringInfo(&rows.packed);
	put(&entity->timestamp, sizeof(entity->timestamp));
	put_number(entity->nproperties);
	for (int i = 0; i < entity->nproperties; i++)
	{
		const tmodel_property *property = &entity->properties[i];
		int			same = like == NULL ? -1 : find_same(property, like, i);

		if (same >= 0)
		{
			put_number((uint32) same << TYPE_BITS | SAME_AS_LIKE);
			continue;
		}
		put_number(number_of(property->name) << TYPE_BITS |
				   property->value.type);
		put_value(&property->value);
	}
}

/* ---- unpacking ---- */

static void
take(const char **from, void *to, Size len)
{
	memcpy(to, *from, len);
	*from += len;
}

static uint32
take_number(const char **from)
{
	uint32		number;

	take(from, &number, sizeof(number));
	return number;
}

static void
take_value(const char **from, tmodel_value *value)
{
	switch (value->type)
	{
		case TMODEL_NULL:
			break;
		case TMODEL_STRING:
		case TMODEL_BINARY:
			value->u.bytes.len = take_number(from);
			value->u.bytes.data = *from;
			*from += value->u.bytes.len;
			break;
		case TMODEL_INT32:
			take(from, &value->u.int32, sizeof(value->u.int32));
			break;
		case TMODEL_BOOLEAN:
			take(from, &value->u.boolean, sizeof(value->u.boolean));
			break;
		case TMODEL_INT64:
		case TMODEL_DOUBLE:
		case TMODEL_DATETIME:
			take(from, &value->u.int64, sizeof(value->u.int64));
			break;
		case TMODEL_GUID:
			take(from, value->u.guid, sizeof(value->u.guid));
			break;
	}
}

/* The packed contents, in the arena: what is in memory may go to the file. */
static const char *
fetch(const itableRow *row, tmodel_arena *arena)
{
	char	   *packed = tmodel_alloc(arena, row->len);
	Size		done = 0;

	itable_check_arena(arena);
	if (row->contents != NULL)
		return memcpy(packed, row->contents, row->len);
	while (done < row->len)
	{
		int			n = FileRead(rows.file, packed + done, row->len - done,
								 row->u.offset + done,
								 WAIT_EVENT_BUFFILE_READ);

		if (n <= 0)
			ereport(ERROR,
					(errcode_for_file_access(),
					 n < 0 ?
					 errmsg("could not read the temporary file of a transaction's rows: %m") :
					 errmsg("could not read the temporary file of a transaction's rows: it is too short")));
		done += n;
	}
	return packed;
}

const tmodel_entity *
itable_row_load(const itableRow *row, tmodel_arena *arena)
{
	const char *from = fetch(row, arena);
	const tmodel_entity *like = row->like == NULL ? NULL :
		itable_row_load(row->like, arena);
	tmodel_entity *entity = tmodel_alloc(arena, sizeof(tmodel_entity));

	itable_check_arena(arena);
	entity->partition_key = row->partition_key;
	entity->row_key = row->row_key;
	entity->etag = row->etag;
	take(&from, &entity->timestamp, sizeof(entity->timestamp));
	entity->nproperties = take_number(&from);
	entity->properties = tmodel_alloc(arena, sizeof(tmodel_property) *
									  (entity->nproperties + 1));
	itable_check_arena(arena);
	for (int i = 0; i < entity->nproperties; i++)
	{
		tmodel_property *property = &entity->properties[i];
		uint32		word = take_number(&from);
		uint32		type = word & ((1 << TYPE_BITS) - 1);

		if (type == SAME_AS_LIKE)
		{
			*property = like->properties[word >> TYPE_BITS];
			continue;
		}
		property->name = rows.names[word >> TYPE_BITS];
		property->value.type = type;
		take_value(&from, &property->value);
	}
	return entity;
}

/* ---- the file ---- */

/*
 * The file belongs to the transaction, whatever portal or subtransaction needs
 * it first; PostgreSQL removes it after a crash, and counts it for
 * temp_file_limit.
 */
static void
open_file(void)
{
	ResourceOwner old = CurrentResourceOwner;

	CurrentResourceOwner = TopTransactionResourceOwner;
	rows.file = OpenTemporaryFile(false);
	CurrentResourceOwner = old;
}

static void
write_all(const char *bytes, Size len, int64 at)
{
	while (len > 0)
	{
		int			n = FileWrite(rows.file, (char *) bytes, len, at,
								  WAIT_EVENT_BUFFILE_WRITE);

		if (n <= 0)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not write the temporary file of a transaction's rows: %m")));
		bytes += n;
		at += n;
		len -= n;
	}
}

/* Writes the contents of all rows in memory; returns where the file then ends. */
static int64
write_rows(StringInfo buffer)
{
	int64		at = rows.file_bytes;

	for (itableRow *row = rows.in_memory; row != NULL; row = row->u.next)
	{
		appendBinaryStringInfo(buffer, row->contents, row->len);
		if (buffer->len >= WRITE_BYTES || row->u.next == NULL)
		{
			write_all(buffer->data, buffer->len, at);
			at += buffer->len;
			resetStringInfo(buffer);
		}
	}
	return at;
}

static void
spill(void)
{
	StringInfoData buffer;
	int64		end;

	if (rows.file <= 0)
		open_file();
	initStringInfo(&buffer);
	end = write_rows(&buffer);
	pfree(buffer.data);

	/* nothing can fail any more */
	while (rows.in_memory != NULL)
	{
		itableRow  *row = rows.in_memory;

		rows.in_memory = row->u.next;
		row->contents = NULL;
		row->u.offset = rows.file_bytes;
		rows.file_bytes += row->len;
	}
	Assert(rows.file_bytes == end);
	rows.file_bytes = end;
	tmodel_arena_reset(rows.contents);
}

/* ---- keeping ---- */

static tmodel_span
keep_span(char **at, tmodel_span text)
{
	tmodel_span copy = {*at, text.len};

	if (text.len > 0)
		memcpy(*at, text.data, text.len);
	*at += text.len;
	return copy;
}

itableRow *
itable_row_keep(const tmodel_entity *entity, const itableRow *like,
				const tmodel_entity *like_entity)
{
	itableRow  *row = tmodel_alloc(rows.headers, sizeof(itableRow) +
								   entity->partition_key.len +
								   entity->row_key.len + entity->etag.len);
	char	   *at = (char *) (row + 1);
	char	   *contents;

	itable_check_arena(rows.headers);
	row->partition_key = keep_span(&at, entity->partition_key);
	row->row_key = keep_span(&at, entity->row_key);
	row->etag = keep_span(&at, entity->etag);
	/* of rows like rows like rows all would have to be read */
	row->like = like != NULL && like->like == NULL ? like : NULL;
	pack(entity, row->like != NULL ? like_entity : NULL);
	row->len = rows.packed.len;
	contents = tmodel_alloc(rows.contents, row->len);
	itable_check_arena(rows.contents);
	memcpy(contents, rows.packed.data, row->len);
	row->contents = contents;
	row->u.next = rows.in_memory;
	rows.in_memory = row;
	if (rows.contents->allocated > (size_t) itable_write_buffer * 1024)
		spill();
	return row;
}
