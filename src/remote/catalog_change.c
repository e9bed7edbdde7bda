/*
 * catalog_change.c
 *	  Writes to the catalog: writers register, indexes are listed and moved.
 *
 * Each is one request on one entity; a move is conditional on the ETag that was
 * read, so two sessions that build or drop an index do not both go on.  Called
 * by catalog.c (registering) and the index procedures of exec/.  Easy to break:
 * a reply that was lost may hide a success, so a move that failed or is
 * unknown is looked at before it is called lost.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "remote/catalog_int.h"
#include "remote/memory.h"
#include "remote/report.h"
#include "remote/session.h"
#include "table/settings.h"

#define MAX_PROPERTIES 12

/* Waits for a request; false: *error is set, TSTORE_ABORTED for a cancel. */
static bool
run(tstore_client *client, tstore_request *started, tmodel_span *etag,
	tstore_error *error)
{
	itableCalls *calls = itable_calls(CurrentMemoryContext, client);
	tstore_request *request = itable_call(calls, started);
	const tstore_reply *reply;

	memset(error, 0, sizeof(*error));
	if (!tstore_wait(client, request))
	{
		error->status = TSTORE_ABORTED;
		itable_finish(calls, request);
		return false;
	}
	reply = tstore_reply_of(request);
	*error = reply->error;
	if (etag != NULL && error->status == TSTORE_OK && reply->netags > 0)
		*etag = tmodel_span_of(pnstrdup(reply->etags[0].data,
										reply->etags[0].len));
	itable_finish(calls, request);
	return error->status == TSTORE_OK;
}

static bool
write_entity(tstore_client *client, tstore_write write,
			 const tmodel_entity *entity, tmodel_span *etag,
			 tstore_error *error)
{
	tstore_operation operation = {.write = write,.entity = entity};

	if (etag != NULL)
		operation.if_match = *etag;
	/* an error in a flush may have left a limit behind */
	tstore_limit_writes(client, -1);
	return run(client,
			   tstore_start_write(client, TMODEL_SPAN(TSTORE_CATALOG_TABLE),
								  &operation), etag, error);
}

/* Throws what the store says of a write that must succeed. */
static void
change_failed(const tstore_error *error)
{
	CHECK_FOR_INTERRUPTS();
	itable_report(error, "write to the catalog of indexes", NULL);
}

static tmodel_entity
new_entity(tmodel_span table, const char *row_key)
{
	tmodel_entity entity = {0};

	entity.partition_key = itable_catalog_key(table);
	entity.row_key = tmodel_span_of(row_key);
	entity.timestamp = -1;
	entity.properties = palloc0(sizeof(tmodel_property) * MAX_PROPERTIES);
	return entity;
}

static void
put(tmodel_entity *entity, tmodel_span name, tmodel_value value)
{
	Assert(entity->nproperties < MAX_PROPERTIES);
	entity->properties[entity->nproperties].name = name;
	entity->properties[entity->nproperties++].value = value;
}

static void
put_text(tmodel_entity *entity, tmodel_span name, const char *text)
{
	put(entity, name, tmodel_string(tmodel_span_of(text)));
}

static tmodel_entity
index_entity(const itableTable *fact, tmodel_span index)
{
	return new_entity(fact->name,
					  itable_cstring(itable_catalog_key(index)));
}

static bool
create_table(tstore_client *client, tstore_error *error)
{
	return run(client,
			   tstore_start_create_table(client,
										 TMODEL_SPAN(TSTORE_CATALOG_TABLE)),
			   NULL, error);
}

bool
itable_register_writer(tstore_client *client, const itableTable *fact,
					   tstore_error *error)
{
	tmodel_entity entity =
	new_entity(fact->name, psprintf("%s%s", ITABLE_WRITER_PREFIX,
									itable_writer_id()));

	put(&entity, ITABLE_C_LEASE, tmodel_int32(itable_catalog_lease));
	if (write_entity(client, TSTORE_UPSERT_REPLACE, &entity, NULL, error))
		return true;
	if (error->status != TSTORE_TABLE_NOT_FOUND)
		return false;
	if (!create_table(client, error) && error->status != TSTORE_TABLE_EXISTS)
		return false;
	return write_entity(client, TSTORE_UPSERT_REPLACE, &entity, NULL, error);
}

static char *
new_incarnation(void)
{
	uint64		random;

	if (!pg_strong_random(&random, sizeof(random)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate an incarnation")));
	return psprintf("%016llx", (unsigned long long) random);
}

/* The entity as the store has it now, or NULL. */
static itableListed *
look_again(tstore_client *client, const itableTable *fact, tmodel_span name)
{
	return itable_find_listed(itable_catalog_fresh(client, fact), name);
}

bool
itable_catalog_add(tstore_client *client, const itableIndex *index,
				   const itableListed *was)
{
	tmodel_entity entity = index_entity(index->fact, index->table->name);
	char	   *incarnation = new_incarnation();
	tmodel_span etag = was != NULL ? was->etag : (tmodel_span) {0};
	itableListed *now;
	tstore_error error;

	put_text(&entity, ITABLE_C_NAME, itable_cstring(index->table->name));
	put_text(&entity, ITABLE_C_STATE, itable_state_name(ITABLE_REGISTERED));
	put(&entity, ITABLE_C_EPOCH, tmodel_int32(1));
	put_text(&entity, ITABLE_C_INCARNATION, incarnation);
	put_text(&entity, ITABLE_C_LAYOUT, itable_index_layout(index));
	put_text(&entity, ITABLE_C_DEFINITION, itable_index_definition(index));
	if (write_entity(client, was != NULL ? TSTORE_REPLACE : TSTORE_INSERT,
					 &entity, &etag, &error))
		return true;
	if (error.status != TSTORE_EXISTS && error.status != TSTORE_PRECONDITION &&
		!error.maybe_applied)
		change_failed(&error);
	now = look_again(client, index->fact, index->table->name);
	return now != NULL && strcmp(now->incarnation, incarnation) == 0;
}

/* Is the entity what this step would have made it? */
static bool
step_was_applied(const itableListed *now, const itableListed *wanted)
{
	return now != NULL && now->state == wanted->state &&
		now->epoch == wanted->epoch && now->done == wanted->done &&
		strcmp(now->incarnation, wanted->incarnation) == 0;
}

bool
itable_catalog_step(tstore_client *client, const itableTable *fact,
					itableListed *listed, itableIndexState state)
{
	tmodel_span name = tmodel_span_of(listed->name);
	tmodel_entity entity = index_entity(fact, name);
	itableListed wanted = *listed;
	itableListed *now;
	tstore_error error;

	wanted.state = state;
	wanted.epoch++;
	put_text(&entity, ITABLE_C_STATE, itable_state_name(state));
	put(&entity, ITABLE_C_EPOCH, tmodel_int32(wanted.epoch));
	put(&entity, ITABLE_C_DONE, tmodel_int64(wanted.done));
	if (wanted.has_cursor)
	{
		put(&entity, ITABLE_C_CURSOR_PK,
			tmodel_string(wanted.cursor_partition));
		put(&entity, ITABLE_C_CURSOR_RK, tmodel_string(wanted.cursor_row));
	}
	put_text(&entity, ITABLE_C_NAME, wanted.name);
	put_text(&entity, ITABLE_C_INCARNATION, wanted.incarnation);
	put_text(&entity, ITABLE_C_LAYOUT, wanted.layout);
	put_text(&entity, ITABLE_C_DEFINITION, wanted.definition);
	if (write_entity(client, TSTORE_REPLACE, &entity, &wanted.etag, &error))
	{
		*listed = wanted;
		return true;
	}
	if (error.status != TSTORE_PRECONDITION &&
		error.status != TSTORE_NOT_FOUND && !error.maybe_applied)
		change_failed(&error);
	now = look_again(client, fact, name);
	if (!step_was_applied(now, &wanted))
		return false;
	wanted.etag = tmodel_span_of(itable_cstring(now->etag));
	*listed = wanted;
	return true;
}

bool
itable_catalog_remove(tstore_client *client, const itableTable *fact,
					  const itableListed *listed)
{
	tmodel_span name = tmodel_span_of(listed->name);
	tmodel_entity entity = index_entity(fact, name);
	tmodel_span etag = listed->etag;
	tstore_error error;

	if (write_entity(client, TSTORE_DELETE, &entity, &etag, &error))
		return true;
	if (error.status != TSTORE_PRECONDITION &&
		error.status != TSTORE_NOT_FOUND && !error.maybe_applied)
		change_failed(&error);
	return look_again(client, fact, name) == NULL;
}

int64
itable_others_wait_ms(const itableCatalog *catalog)
{
	char	   *id = itable_writer_id();
	int			longest = 0;
	bool		others = false;
	ListCell   *cell;

	foreach(cell, catalog->writers)
	{
		const itableWriter *writer = lfirst(cell);

		if (strcmp(writer->id, id) == 0)
			continue;
		others = true;
		longest = Max(longest, writer->lease_ms);
	}
	return others ? 2 * (int64) longest : 0;
}
