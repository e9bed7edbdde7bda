/*
 * order.c
 *	  Which orders a way to read has, and paths that say so.
 *
 * Entities come ordered by PartitionKey and RowKey.  That is an order of
 * columns behind the parts of the key that each probe fixes: name within a
 * genre, and merged, name over several genres.  Texts are in order where their
 * collation compares bytes; what little the store does differently
 * exec/merge.c mends.  Called by relinfo.c.  Easy to break: a merge join fails
 * on rows that are out of order, so only what holds for every key is claimed.
 */
#include "postgres.h"

#include <math.h>

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "utils/selfuncs.h"
#include "utils/typcache.h"

#include "compat.h"
#include "model/key_order.h"
#include "plan/upper.h"

/* More probes than this are not merged. */
#define MAX_MERGED 256

/* More rows than this are not read from the end. */
#define MAX_BACK_ROWS 100

/* Requests until the last keys are found, with statistics and without. */
#define KNOWN_SEARCH 3
#define UNKNOWN_SEARCH 20

/* Rows a query is taken to want of which only some are read. */
#define PART_WANTED 100

/* What a probe knows of a part of the key. */
typedef enum fixedness
{
	NOT_FIXED,
	ONE_VALUE,
	SEVERAL_VALUES
} fixedness;

/* The parts of the key of the table that is asked. */
typedef struct orderParts
{
	const itableTable *asked;
	int			n;
	int			nfixed;			/* leading parts that are */
	AttrNumber *attnums;		/* 0: no column of the scanned relation */
	fixedness  *fixed;
	const Expr **values;		/* ONE_VALUE: it */
} orderParts;

static tmodel_key_type
type_of_part(const orderParts *parts, int i)
{
	const itableTable *asked = parts->asked;

	return i < asked->npartition_parts ? asked->partition_types[i] :
		asked->row_types[i - asked->npartition_parts];
}

/* Which parts each probe of a choice without arms fixes. */
static void
find_fixed_by(const itableChoice *choice, orderParts *parts)
{
	int			npartition = parts->asked->npartition_parts;
	ListCell   *cell;
	ListCell   *value;

	parts->fixed = palloc0(sizeof(fixedness) * parts->n);
	parts->values = palloc0(sizeof(Expr *) * parts->n);
	forboth(cell, choice->conds, value, choice->values)
	{
		const itableCond *cond = lfirst(cell);
		int			at = cond->component +
		(cond->partition ? 0 : npartition);

		if (cond->match == ITABLE_COMPARE ? cond->op == TMODEL_EQ :
			cond->match == ITABLE_ALL_OF)
		{
			parts->fixed[at] = ONE_VALUE;
			parts->values[at] = lfirst(value);
		}
		else if (cond->match == ITABLE_HASHED)
		{
			parts->fixed[at] = parts->fixed[npartition + cond->expr];
			parts->values[at] = parts->values[npartition + cond->expr];
		}
		else if (cond->match == ITABLE_ANY_OF ||
				 cond->match == ITABLE_EVERY_BUCKET)
			parts->fixed[at] = SEVERAL_VALUES;
	}
}

/* Of arms, a part has one value only where it is the same in all of them. */
static void
find_fixed(const itableChoice *choice, orderParts *parts)
{
	ListCell   *cell;

	find_fixed_by(choice->arms != NIL ? linitial(choice->arms) : choice, parts);
	foreach(cell, choice->arms)
	{
		orderParts	arm = *parts;

		find_fixed_by(lfirst(cell), &arm);
		for (int i = 0; i < parts->n; i++)
			if (parts->fixed[i] == NOT_FIXED || arm.fixed[i] == NOT_FIXED)
				parts->fixed[i] = NOT_FIXED;
			else if (parts->fixed[i] != ONE_VALUE ||
					 arm.fixed[i] != ONE_VALUE ||
					 !equal(parts->values[i], arm.values[i]))
				parts->fixed[i] = SEVERAL_VALUES;
	}
	/* a row key is a range within each partition, or none of our business */
	while (parts->nfixed < parts->n && parts->fixed[parts->nfixed] != NOT_FIXED)
		parts->nfixed++;
}

/* Does the class compare this column by the column's own order? */
static bool
is_class_of(EquivalenceClass *ec, RelOptInfo *rel, AttrNumber attnum,
			Oid opfamily, bool text)
{
	ListCell   *cell;

	if (ec->ec_has_volatile || !list_member_oid(ec->ec_opfamilies, opfamily) ||
		(text && !itable_collation_is_c(ec->ec_collation)))
		return false;
	foreach(cell, itable_class_members(ec, rel->relids))
	{
		const EquivalenceMember *em = lfirst_node(EquivalenceMember, cell);
		Node	   *node = (Node *) em->em_expr;

		if (em->em_is_const || !bms_equal(em->em_relids, rel->relids))
			continue;
		while (IsA(node, RelabelType))
			node = (Node *) ((RelabelType *) node)->arg;
		if (IsA(node, Var) && ((Var *) node)->varattno == attnum)
			return true;
	}
	return false;
}

/* Types whose keys are ordered as SQL orders them. */
static bool
has_key_order(const itableTable *table, AttrNumber attnum, bool *text)
{
	Oid			type = table->columns[attnum - 1]->base_type;

	*text = type == TEXTOID || type == VARCHAROID;
	switch (type)
	{
		case TEXTOID:
		case VARCHAROID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case BOOLOID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case UUIDOID:
			return true;
		default:
			return false;
	}
}

/* The ascending order of the column, where the query has a use for it. */
static PathKey *
find_pathkey(PlannerInfo *root, RelOptInfo *rel, const itableTable *table,
			 AttrNumber attnum)
{
	Oid			type = table->columns[attnum - 1]->base_type;
	Oid			opfamily;
	bool		text;
	ListCell   *cell;

	if (!has_key_order(table, attnum, &text))
		return NULL;
	opfamily = lookup_type_cache(text ? TEXTOID : type,
								 TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	foreach(cell, root->eq_classes)
	{
		EquivalenceClass *ec = lfirst(cell);
		ListCell   *wanted;

		if (!is_class_of(ec, rel, attnum, opfamily, text))
			continue;
		/* keys are never NULL: NULLS FIRST is the same order */
		foreach(wanted, root->query_pathkeys)
		{
			PathKey    *pathkey = lfirst(wanted);

			if (pathkey->pk_eclass == ec && pathkey->pk_opfamily == opfamily &&
				itable_is_ascending(pathkey))
				return pathkey;
		}
		return make_canonical_pathkey(root, ec, opfamily,
									  BTLessStrategyNumber, false);
	}
	return NULL;
}

/* The order by the parts from "first" on; NIL when it is of no use. */
static List *
order_from(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
		   const orderParts *parts, int first, itableOrder *order)
{
	List	   *pathkeys = NIL;
	int		   *ends = palloc(sizeof(int) * (parts->n + 1));

	memset(order, 0, sizeof(*order));
	for (int i = first; i < parts->n; i++)
	{
		AttrNumber	attnum = parts->attnums[i];
		PathKey    *pathkey = NULL;

		if (attnum != 0 &&
			(tmodel_key_is_ordered(parts->asked->encoding,
								   type_of_part(parts, i)) ||
			 type_of_part(parts, i) == TMODEL_KEY_TEXT))
			pathkey = find_pathkey(root, rel, info->table, attnum);
		if (pathkey == NULL && parts->fixed[i] != ONE_VALUE)
			break;
		if (pathkey == NULL || list_member_ptr(pathkeys, pathkey) ||
			EC_MUST_BE_REDUNDANT(pathkey->pk_eclass))
			continue;
		pathkeys = lappend(pathkeys, pathkey);
		order->attnums = lappend_int(order->attnums, attnum);
		ends[list_length(pathkeys)] = i + 1;
	}
	pathkeys = truncate_useless_pathkeys(root, rel, pathkeys);
	order->attnums = list_truncate(order->attnums, list_length(pathkeys));
	order->on = pathkeys != NIL;
	order->first = first;
	order->last = order->on ? ends[list_length(pathkeys)] : first;
	order->fixed = parts->nfixed;
	return pathkeys;
}

/* The most useful order of the choice. */
static List *
find_order(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
		   const itableChoice *choice, orderParts *parts, itableOrder *best)
{
	List	   *best_pathkeys = NIL;
	const itableIndex *index = choice->arms == NIL ? choice->index :
	((itableChoice *) linitial(choice->arms))->index;

	best->on = false;
	parts->asked = index != NULL ? index->table : info->table;
	parts->attnums = itable_key_columns(info, index, &parts->n);
	parts->nfixed = 0;
	find_fixed(choice, parts);
	for (int first = 0; first <= Min(parts->nfixed, parts->n - 1); first++)
	{
		itableOrder order;
		List	   *pathkeys = order_from(root, rel, info, parts, first, &order);

		if (list_length(pathkeys) > list_length(best_pathkeys))
		{
			best_pathkeys = pathkeys;
			*best = order;
		}
	}
	return best_pathkeys;
}

/* Is the store's order of a part in the order only almost SQL's? */
static bool
needs_mending(const orderParts *parts, const itableOrder *order)
{
	for (int i = Max(order->first, parts->nfixed); i < order->last; i++)
		if (!tmodel_key_is_ordered(parts->asked->encoding,
								   type_of_part(parts, i)))
			return true;
	return false;
}

/* Do probes have to be read side by side? */
static bool
is_merge(const orderParts *parts, const itableOrder *order)
{
	for (int i = 0; i < order->first; i++)
		if (parts->fixed[i] == SEVERAL_VALUES)
			return true;
	return false;
}

/*
 * What (p, r) > (a, b) costs before its first rows, where not all are wanted.
 * As a range of partitions it begins with the rows of partition a before b,
 * half of them on average.  As arms it may find too few rows left in partition
 * a, and ask for the next ones.
 */
static Cost
paging_cost(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
			const itableChoice *choice)
{
	double		wanted = root->limit_tuples > 0 ? root->limit_tuples :
	root->tuple_fraction >= 1 ? root->tuple_fraction : PART_WANTED;
	ListCell   *cell;

	if (root->limit_tuples <= 0 && root->tuple_fraction <= 0)
		return 0;
	foreach(cell, choice->rinfos)
	{
		const RestrictInfo *rinfo = lfirst_node(RestrictInfo, cell);
		const RowCompareExpr *row = (RowCompareExpr *) rinfo->clause;
		List	   *first;
		double		before;

		if (!IsA(row, RowCompareExpr))
			continue;
		first = pull_var_clause((Node *) list_make2(linitial(row->largs),
													linitial(row->rargs)), 0);
		if (first == NIL)
			continue;
		before = rel->tuples / 2 /
			estimate_num_groups(root, list_make1(linitial(first)),
								rel->tuples, NULL, NULL);
		if (choice->arms != NIL)
			return info->table->startup_cost *
				Min(1, wanted / Max(before, 1));
		return info->table->startup_cost *
			(Min(1, before / wanted) + before / info->table->fetch_size);
	}
	return 0;
}

static void
add_path_for(PlannerInfo *root, RelOptInfo *rel, itableChoice *choice,
			 Cost startup, Cost total, List *pathkeys)
{
	itable_plan_fetch(root, rel, pathkeys, &choice->fetch);
	add_path(rel, (Path *)
			 create_foreignscan_path(root, rel, NULL, PATH_ROWS(rel->rows),
									 startup, total, pathkeys,
									 rel->lateral_relids, NULL,
									 PATH_PRIVATE(list_make1(choice))));
}

/* The part of the key that the query wants descending, all before it fixed. */
static bool
find_back(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
		  const itableChoice *choice, itableOrder *order)
{
	orderParts	parts = {.asked = info->table};
	const PathKey *pathkey = linitial(root->query_pathkeys);
	AttrNumber	attnum;
	bool		text;
	Oid			type;

	parts.attnums = itable_key_columns(info, NULL, &parts.n);
	find_fixed(choice, &parts);
	for (int i = 0; i < parts.nfixed; i++)
		if (parts.fixed[i] != ONE_VALUE)
			return false;
	attnum = parts.nfixed < parts.n ? parts.attnums[parts.nfixed] : 0;
	if (attnum == 0 || !has_key_order(info->table, attnum, &text) ||
		(!tmodel_key_is_ordered(info->table->encoding,
								type_of_part(&parts, parts.nfixed)) &&
		 type_of_part(&parts, parts.nfixed) != TMODEL_KEY_TEXT))
		return false;
	type = text ? TEXTOID : info->table->columns[attnum - 1]->base_type;
	*order = (itableOrder)
	{
		.on = true,.back = true,.first = parts.nfixed,
		.last = parts.nfixed + 1,.fixed = parts.nfixed,
		.attnums = list_make1_int(attnum)
	};
	return pathkey->pk_opfamily ==
		lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf &&
		is_class_of(pathkey->pk_eclass, rel, attnum, pathkey->pk_opfamily,
					text);
}

/*
 * The greatest keys first, where few rows are wanted: max(key), ORDER BY key
 * DESC LIMIT 1.  Each stretch from the end up costs a search.
 */
static void
add_back_path(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
			  const itableChoice *choice, Cost total)
{
	Cost		one = info->table->startup_cost;
	itableChoice *back;
	itableOrder order;
	double		requests;

	if (list_length(root->query_pathkeys) != 1 ||
		itable_is_ascending(linitial(root->query_pathkeys)) ||
		root->limit_tuples <= 0 || root->limit_tuples > MAX_BACK_ROWS ||
		choice->index != NULL || choice->arms != NIL || choice->also != NULL ||
		choice->access == ITABLE_POINT || choice->probes != 1 ||
		info->for_update || info->self_index != NULL ||
		!info->table->ordered || !itable_decides(root, rel, choice) ||
		!find_back(root, rel, info, choice, &order))
		return;
	/* statistics know the first component of each key */
	if (order.first == 0 || order.first == info->table->npartition_parts)
		order.hints = itable_known_keys(info->table, order.first == 0);
	requests = order.hints == NIL ? UNKNOWN_SEARCH :
		KNOWN_SEARCH + 2 * log2(Max(rel->tuples / Max(rel->rows, 1), 1));
	back = memcpy(palloc(sizeof(itableChoice)), choice, sizeof(itableChoice));
	back->order = order;
	back->pieces = NIL;
	add_path_for(root, rel, back, requests * one, requests * one + total,
				 root->query_pathkeys);
}

void
itable_add_paths(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
				 itableChoice *choice)
{
	itableChoice *ordered = memcpy(palloc(sizeof(itableChoice)), choice,
								   sizeof(itableChoice));
	orderParts	parts = {0};
	List	   *pathkeys = NIL;
	Cost		startup;
	Cost		total;
	Cost		paging;

	itable_cost(root, rel, info, choice, &startup, &total);
	if (has_useful_pathkeys(root, rel) && info->table->ordered &&
		(choice->arms == NIL || choice->only_ordered) &&
		choice->also == NULL && choice->probes <= MAX_MERGED)
		pathkeys = find_order(root, rel, info, choice, &parts,
							  &ordered->order);
	if (!choice->only_ordered)
		add_path_for(root, rel, choice, startup, total, NIL);
	if (has_useful_pathkeys(root, rel))
		add_back_path(root, rel, info, choice, total);
	if (pathkeys == NIL)
		return;
	paging = paging_cost(root, rel, info, choice);
	startup += paging;
	total += paging;
	/* each page but the last may need a look at what comes late */
	if (needs_mending(&parts, &ordered->order))
		total += total - startup;
	/* all first pages are needed for the first row */
	if (is_merge(&parts, &ordered->order))
		startup = Min(total, startup + (choice->probes - 1) * startup / 32);
	add_path_for(root, rel, ordered, startup, total, pathkeys);
}
