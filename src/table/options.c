/*
 * options.c
 *	  Which options exist, where they may stand, and what they may say.
 *
 * Answers "is this option list acceptable?" at DDL time, and hands out typed
 * values later.  It sees one option list at a time: whether a table's columns
 * fit together is table_def.c's question.  Called by the validator function
 * and by everything that reads options.  Easy to break: an option that is read
 * anywhere but not listed here can never be set.
 */
#include "postgres.h"

#include <math.h>

#include "access/reloptions.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_foreign_data_wrapper.h"
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_foreign_table.h"
#include "catalog/pg_user_mapping.h"
#include "commands/defrem.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/varlena.h"

#include "table/options.h"

PG_FUNCTION_INFO_V1(itable_fdw_validator);

#define ON_SERVER	0x01
#define ON_MAPPING	0x02
#define ON_TABLE	0x04
#define ON_COLUMN	0x08
#define ON_WRAPPER	0x10

typedef enum optionKind
{
	OPTION_TEXT, OPTION_INT, OPTION_REAL, OPTION_BOOL, OPTION_CHOICE
} optionKind;

typedef struct optionRule
{
	const char *name;
	int			places;			/* ON_... bits */
	optionKind	kind;
	int			min;			/* OPTION_INT */
	int			max;
	const char *choices;		/* OPTION_CHOICE: words between spaces */
	bool		superuser;		/* only a superuser may set it */
} optionRule;

static const optionRule rules[] = {
	{"endpoint", ON_SERVER, OPTION_TEXT},
	{"queue_endpoint", ON_SERVER, OPTION_TEXT},
	{"ca_file", ON_SERVER, OPTION_TEXT},
	{"connect_timeout", ON_SERVER, OPTION_INT, 1, 3600},
	{"request_timeout", ON_SERVER, OPTION_INT, 1, 3600},
	{"max_retries", ON_SERVER, OPTION_INT, 0, 100},
	{"max_connections", ON_SERVER, OPTION_INT, 1, 256},
	{"fetch_size", ON_SERVER | ON_TABLE, OPTION_INT, 1, 1000},
	{"batch_size", ON_SERVER | ON_TABLE, OPTION_INT, 1, 100},
	{"fdw_startup_cost", ON_SERVER, OPTION_REAL},
	{"fdw_tuple_cost", ON_SERVER, OPTION_REAL},
	{"updatable", ON_SERVER | ON_TABLE, OPTION_BOOL},
	{"async_capable", ON_SERVER | ON_TABLE, OPTION_BOOL},
	{"keep_connections", ON_SERVER, OPTION_BOOL},
	{"insert_mode", ON_SERVER | ON_TABLE, OPTION_CHOICE, 0, 0,
	"reserve direct"},

	{"cluster_id", ON_WRAPPER, OPTION_TEXT},

	{"account", ON_MAPPING, OPTION_TEXT},
	{"account_key", ON_MAPPING, OPTION_TEXT},
	{"sas_token", ON_MAPPING, OPTION_TEXT},
	{"bearer_token_file", ON_MAPPING, OPTION_TEXT, 0, 0, NULL, true},
	{"credentials_required", ON_MAPPING, OPTION_BOOL, 0, 0, NULL, true},

	{"table_name", ON_TABLE, OPTION_TEXT},
	{"key_encoding", ON_TABLE, OPTION_CHOICE, 0, 0, "escaped raw"},
	{"index_of", ON_TABLE, OPTION_TEXT},
	{"unique", ON_TABLE, OPTION_BOOL},
	{"maintenance", ON_TABLE, OPTION_CHOICE, 0, 0, "sync queued"},
	{"colocated", ON_TABLE, OPTION_BOOL},
	{"buckets", ON_TABLE | ON_COLUMN, OPTION_INT, 1, 4096},
	{"state", ON_TABLE, OPTION_CHOICE, 0, 0,
	"registered building readable deprecated dropping"},

	{"key", ON_COLUMN, OPTION_CHOICE, 0, 0, "partition row"},
	{"property", ON_COLUMN, OPTION_TEXT},
	{"edm_type", ON_COLUMN, OPTION_CHOICE, 0, 0,
		"Edm.String Edm.Int32 Edm.Int64 Edm.Double Edm.Boolean Edm.DateTime "
	"Edm.Guid Edm.Binary"},
	{"system", ON_COLUMN, OPTION_CHOICE, 0, 0, "etag timestamp"},
	{"element_of", ON_COLUMN, OPTION_TEXT},
	{"hash_of", ON_COLUMN, OPTION_TEXT},
};

/* Which places bit a catalog stands for. */
static int
place_of(Oid catalog)
{
	switch (catalog)
	{
		case ForeignServerRelationId:
			return ON_SERVER;
		case UserMappingRelationId:
			return ON_MAPPING;
		case ForeignTableRelationId:
			return ON_TABLE;
		case AttributeRelationId:
			return ON_COLUMN;
		case ForeignDataWrapperRelationId:
			return ON_WRAPPER;
		default:
			return 0;
	}
}

/* The names that may stand at "place", the nearest to "name" first chosen. */
static const char *
nearest_name(const char *name, int place)
{
	const char *best = NULL;
	int			best_distance = Max(3, (int) strlen(name) / 2) + 1;

	if (strlen(name) >= NAMEDATALEN)
		return NULL;
	for (int i = 0; i < lengthof(rules); i++)
	{
		int			distance;

		if ((rules[i].places & place) == 0)
			continue;
		distance = varstr_levenshtein(rules[i].name, strlen(rules[i].name),
									  name, strlen(name), 1, 1, 1, true);
		if (distance < best_distance)
		{
			best = rules[i].name;
			best_distance = distance;
		}
	}
	return best;
}

/* "a, b, c": what may be set at this place, for the hint. */
static char *
names_at(int place)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < lengthof(rules); i++)
		if (rules[i].places & place)
			appendStringInfo(&text, "%s%s", text.len > 0 ? ", " : "",
							 rules[i].name);
	return text.data;
}

/* Throws for a name that has no rule at this place. */
static void
unknown_option(const char *name, int place)
{
	const char *nearest = nearest_name(name, place);

	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
			 errmsg("invalid option \"%s\"", name),
			 nearest != NULL ?
			 errhint("Perhaps you meant the option \"%s\".", nearest) :
			 place != 0 ?
			 errhint("Valid options in this context are: %s.",
					 names_at(place)) :
			 errhint("There are no valid options in this context.")));
}

/* Is "word" one of the words of a space-separated list? */
static bool
is_choice(const char *word, const char *choices)
{
	size_t		len = strlen(word);

	for (const char *p = choices; *p != '\0';)
	{
		size_t		n = strcspn(p, " ");

		if (n == len && strncmp(p, word, n) == 0)
			return true;
		p += n + (p[n] == ' ' ? 1 : 0);
	}
	return false;
}

static void
bad_value(const char *name, const char *value, const char *wanted)
{
	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_ATTRIBUTE_VALUE),
			 errmsg("invalid value for option \"%s\": \"%s\"", name, value),
			 errhint("%s", wanted)));
}

/* Throws unless the value fits its rule.  Secrets are never repeated. */
static void
check_value(const optionRule *rule, const char *value)
{
	char	   *end;

	switch (rule->kind)
	{
		case OPTION_INT:
			{
				long		number;

				errno = 0;
				number = strtol(value, &end, 10);
				if (errno != 0 || end == value || *end != '\0' ||
					number < rule->min || number > rule->max)
					bad_value(rule->name, value,
							  psprintf("It must be an integer from %d to %d.",
									   rule->min, rule->max));
				break;
			}
		case OPTION_REAL:
			{
				double		number;

				errno = 0;
				number = strtod(value, &end);
				if (errno != 0 || end == value || *end != '\0' ||
					isnan(number) || number < 0)
					bad_value(rule->name, value,
							  "It must be a number that is not negative.");
				break;
			}
		case OPTION_BOOL:
			{
				bool		truth;

				if (!parse_bool(value, &truth))
					bad_value(rule->name, value, "It must be true or false.");
				break;
			}
		case OPTION_CHOICE:
			if (!is_choice(value, rule->choices))
				bad_value(rule->name, value,
						  psprintf("It must be one of: %s.", rule->choices));
			break;
		case OPTION_TEXT:
			if (value[0] == '\0')
				ereport(ERROR,
						(errcode(ERRCODE_FDW_INVALID_ATTRIBUTE_VALUE),
						 errmsg("option \"%s\" must not be empty",
								rule->name)));
			break;
	}
}

static const optionRule *
rule_at(const char *name, int place)
{
	for (int i = 0; i < lengthof(rules); i++)
		if ((rules[i].places & place) != 0 &&
			strcmp(rules[i].name, name) == 0)
			return &rules[i];
	return NULL;
}

/* An endpoint is http[s]://host..., without credentials in it. */
static void
check_endpoint(const char *name, const char *value)
{
	if (strncmp(value, "http://", 7) != 0 &&
		strncmp(value, "https://", 8) != 0)
		bad_value(name, value,
				  "It must begin with http:// or https://, like https://myaccount.table.core.windows.net.");
	if (strchr(value, '?') != NULL || strchr(value, '@') != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_ATTRIBUTE_VALUE),
				 errmsg("option \"%s\" must not contain \"?\" or \"@\"", name),
				 errhint("Credentials belong to the user mapping.")));
}

Datum
itable_fdw_validator(PG_FUNCTION_ARGS)
{
	List	   *options = untransformRelOptions(PG_GETARG_DATUM(0));
	Oid			catalog = PG_GETARG_OID(1);
	int			place = place_of(catalog);
	ListCell   *cell;
	bool		is_index = itable_option(options, "index_of") != NULL;

	foreach(cell, options)
	{
		DefElem    *def = lfirst_node(DefElem, cell);
		const optionRule *rule = rule_at(def->defname, place);
		const char *value;

		if (rule == NULL)
			unknown_option(def->defname, place);
		value = defGetString(def);
		check_value(rule, value);
		if (rule->superuser && !superuser())
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("only a superuser may set option \"%s\"",
							def->defname)));
		if (strstr(def->defname, "endpoint") != NULL)
			check_endpoint(def->defname, value);
		if (place == ON_TABLE && !is_index &&
			is_choice(def->defname, "unique maintenance colocated buckets state"))
			ereport(ERROR,
					(errcode(ERRCODE_FDW_OPTION_NAME_NOT_FOUND),
					 errmsg("option \"%s\" is for index tables only",
							def->defname),
					 errhint("Name the fact table with option \"index_of\".")));
	}
	if (place == ON_SERVER && itable_option(options, "endpoint") == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_OPTION_NAME_NOT_FOUND),
				 errmsg("option \"endpoint\" is required"),
				 errhint("Give the table service's address, like https://myaccount.table.core.windows.net.")));
	PG_RETURN_VOID();
}

const char *
itable_option(List *options, const char *name)
{
	ListCell   *cell;

	foreach(cell, options)
	{
		DefElem    *def = lfirst_node(DefElem, cell);

		if (strcmp(def->defname, name) == 0)
			return defGetString(def);
	}
	return NULL;
}

int
itable_option_int(List *options, const char *name, int fallback)
{
	const char *text = itable_option(options, name);

	return text != NULL ? pg_strtoint32(text) : fallback;
}

double
itable_option_real(List *options, const char *name, double fallback)
{
	const char *text = itable_option(options, name);

	return text != NULL ? strtod(text, NULL) : fallback;
}

bool
itable_option_bool(List *options, const char *name, bool fallback)
{
	const char *text = itable_option(options, name);
	bool		truth;

	if (text == NULL || !parse_bool(text, &truth))
		return fallback;
	return truth;
}
