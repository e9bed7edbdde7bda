/*
 * partition.c
 *	  Which partition a request is confined to.
 *
 * For fault rules with a partition and for --limits, which both must know it
 * before the operation runs.  Reads an insert's body once more, so nobody
 * asks unless one of them is in use.
 */
#include "partition.h"

#include "encode.h"
#include "filter.h"

/* A comparison PartitionKey eq '..' that every match must fulfil. */
static const FilterNode *
find_pin(const FilterNode *node)
{
	const FilterNode *found;

	if (node == NULL)
		return NULL;
	if (node->kind == FILTER_CMP)
		return node->slot == SLOT_PK && node->op == CMP_EQ ? node : NULL;
	if (node->kind != FILTER_AND)
		return NULL;
	found = find_pin(node->left);
	return found ? found : find_pin(node->right);
}

static bool
partition_of_query(Arena *a, const Command *cmd, Span *partition)
{
	const Span *text = command_param(cmd, "$filter");
	const char *detail = NULL;
	const FilterNode *pin;
	Filter		filter;

	if (text == NULL ||
		filter_parse(a, *text, &filter, &detail) != ERR_NONE)
		return false;
	pin = find_pin(filter.root);
	if (pin == NULL || pin->literal.type != VT_STRING)
		return false;
	*partition = key_utf8(a, pin->literal.bytes);
	return true;
}

bool
partition_of(Arena *a, const Command *cmd, const Batch *batch,
			 Span *partition)
{
	const char *detail = NULL;
	Entity		e;

	switch (cmd->op)
	{
		case OP_GET:
		case OP_REPLACE:
		case OP_MERGE:
		case OP_DELETE:
			*partition = cmd->pk;
			return true;
		case OP_INSERT:
			memset(&e, 0, sizeof(e));
			if (entity_from_json(a, cmd->body, &e, &detail) != ERR_NONE)
				return false;
			*partition = e.pk;
			return e.has_pk;
		case OP_QUERY:
			return partition_of_query(a, cmd, partition);
		case OP_BATCH:
			return batch && batch->ncommands > 0 &&
				partition_of(a, &batch->commands[0], NULL, partition);
		default:
			return false;
	}
}
