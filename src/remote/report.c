/*
 * report.c
 *	  Which SQLSTATE, DETAIL and HINT a failure of the store has.
 *
 * The only place that knows; everything that meets a failed reply ends here.
 * Messages never contain keys, signatures or tokens (G10): the store's own
 * words are shown, and the client has already cut secrets from them.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "remote/report.h"

typedef struct reportRule
{
	tstore_status status;
	int			sqlstate;
	const char *hint;			/* NULL: none */
} reportRule;

static const reportRule rules[] = {
	{TSTORE_NOT_FOUND, ERRCODE_NO_DATA_FOUND, NULL},
	{TSTORE_TABLE_NOT_FOUND, ERRCODE_FDW_TABLE_NOT_FOUND,
	"SELECT itable_create_table('...') creates a foreign table's table in the store; option \"table_name\" names an existing one."},
	{TSTORE_EXISTS, ERRCODE_UNIQUE_VIOLATION, NULL},
	{TSTORE_TABLE_EXISTS, ERRCODE_DUPLICATE_TABLE, NULL},
	{TSTORE_TABLE_BEING_DELETED, ERRCODE_OBJECT_IN_USE,
	"The store deletes tables in the background; try again in a minute."},
	{TSTORE_PRECONDITION, ERRCODE_T_R_SERIALIZATION_FAILURE,
	"Another writer was faster; repeat the transaction."},
	{TSTORE_AUTH, ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION,
	"Check account, account_key or sas_token of the user mapping."},
	{TSTORE_TOO_LARGE, ERRCODE_PROGRAM_LIMIT_EXCEEDED, NULL},
	{TSTORE_INVALID, ERRCODE_FDW_ERROR, NULL},
	{TSTORE_THROTTLED, ERRCODE_INSUFFICIENT_RESOURCES,
	"The store is busy; repeat later, or raise the server's option \"max_retries\"."},
	{TSTORE_SERVER, ERRCODE_FDW_ERROR, NULL},
	{TSTORE_CONNECT, ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION,
	"Check the server's option \"endpoint\", and that the store is running."},
	{TSTORE_TIMEOUT, ERRCODE_CONNECTION_FAILURE,
	"The server's option \"request_timeout\" bounds the wait."},
	{TSTORE_LOST, ERRCODE_CONNECTION_FAILURE, NULL},
	{TSTORE_TLS, ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION,
	"The server's option \"ca_file\" names the certificates to trust."},
	{TSTORE_PROTOCOL, ERRCODE_PROTOCOL_VIOLATION,
	"Does the endpoint lead to a table service?"},
	{TSTORE_ABORTED, ERRCODE_QUERY_CANCELED, NULL},
	{TSTORE_BAD_CONFIG, ERRCODE_FDW_INVALID_ATTRIBUTE_VALUE, NULL},
	{TSTORE_NO_MEMORY, ERRCODE_OUT_OF_MEMORY, NULL},
};

static const reportRule *
rule_of(tstore_status status)
{
	for (int i = 0; i < lengthof(rules); i++)
		if (rules[i].status == status)
			return &rules[i];
	return NULL;
}

int
itable_sqlstate(const tstore_error *error)
{
	const reportRule *rule = rule_of(error->status);

	if (error->maybe_applied)
		return ERRCODE_TRANSACTION_RESOLUTION_UNKNOWN;
	return rule != NULL ? rule->sqlstate : ERRCODE_FDW_ERROR;
}

char *
itable_error_detail(const tstore_error *error)
{
	StringInfoData text;

	initStringInfo(&text);
	if (error->code[0] != '\0')
		appendStringInfo(&text, "%s", error->code);
	if (error->http_status != 0)
		appendStringInfo(&text, "%sHTTP %d%s", text.len > 0 ? " (" : "",
						 error->http_status, text.len > 0 ? ")" : "");
	if (error->message[0] != '\0')
		appendStringInfo(&text, "%s%s", text.len > 0 ? ": " : "",
						 error->message);
	if (error->request_id[0] != '\0')
		appendStringInfo(&text, " [request id %s]", error->request_id);
	if (text.len == 0)
		appendStringInfoString(&text, tstore_status_text(error->status));
	return text.data;
}

void
itable_report(const tstore_error *error, const char *doing, const char *table)
{
	const reportRule *rule = rule_of(error->status);
	const char *hint = rule != NULL ? rule->hint : NULL;

	if (error->status == TSTORE_TABLE_NOT_FOUND && table != NULL)
		hint = psprintf("Create it with SELECT itable_create_table('%s'), or name an existing table with option \"table_name\".",
						table);
	ereport(ERROR,
			(errcode(itable_sqlstate(error)),
			 errmsg("could not %s: %s", doing,
					tstore_status_text(error->status)),
			 errdetail_internal("%s", itable_error_detail(error)),
			 hint != NULL ? errhint("%s", hint) : 0));
}

void
itable_report_conflict(const char *relname, const char *key)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not serialize access to foreign table \"%s\" due to concurrent update",
					relname),
			 errdetail("The entity with key %s is not what this transaction read.",
					   key),
			 errhint("Repeat the transaction.")));
}

void
itable_report_claim(const char *relname, const char *key)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not claim a key of unique index \"%s\"", relname),
			 errdetail("Key %s is in the hands of another transaction, or of one that crashed.",
					   key),
			 errhint("Repeat the transaction; what a crash left is taken over after itable_fdw.repair_age.")));
}

void
itable_report_index_moved(const char *relname, const char *index,
						  const char *state)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("index table \"%s\" of foreign table \"%s\" has changed meanwhile",
					index, relname),
			 errdetail("The store's catalog says \"%s\".", state),
			 errhint("Repeat the transaction.")));
}

void
itable_report_partial(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_TRANSACTION_RESOLUTION_UNKNOWN),
			 errmsg("the commit reached only a part of the store"),
			 errdetail_internal("%s", detail),
			 errhint("Read the rows named before repeating the transaction.")));
}

void
itable_report_read(const tstore_error *error, const char *relname)
{
	itable_report(error, psprintf("read foreign table \"%s\"", relname),
				  relname);
}
