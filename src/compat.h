/*
 * compat.h
 *	  Differences between PostgreSQL versions, once and only here.
 */
#ifndef ITABLE_COMPAT_H
#define ITABLE_COMPAT_H

#include "postgres.h"
#include "access/stratnum.h"
#include "catalog/pg_class.h"
#include "catalog/pg_foreign_server.h"
#include "commands/explain.h"
#include "commands/vacuum.h"
#include "executor/executor.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "parser/parsetree.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/selfuncs.h"
#include "utils/tuplesort.h"

#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif

#if PG_VERSION_NUM < 180000
#define pg_noreturn __attribute__((noreturn))
#endif
/* 16 asks for rights on all kinds of objects with one function, and has its
 * own memory for a setting's "extra", which guc.c frees. */
#if PG_VERSION_NUM < 160000
#define object_ownercheck(kind, id, user) pg_class_ownercheck(id, user)
#define object_aclcheck(kind, id, user, mode) \
	pg_foreign_server_aclcheck(id, user, mode)
#define guc_malloc(level, size) malloc(size)
#endif

/* From 16 on a column says which outer joins may have made it NULL: below such
 * a join and above it, it is another one. */
#if PG_VERSION_NUM >= 160000
#define ITABLE_SAME_NULLING(to, from, set) ((to)->set = bms_copy((from)->set))
#else
#define ITABLE_SAME_NULLING(to, from, set) ((void) 0)
#endif

/* Arguments that came with 17 (a path's restrictions of a join; the planner of
 * an array's length) and 18 (a path's disabled nodes; room in a tuple). */
#if PG_VERSION_NUM >= 180000
#define PATH_ROWS(rows) (rows), 0
#define itable_minimal_tuple(desc, values, nulls) \
	heap_form_minimal_tuple(desc, values, nulls, 0)
#else
#define PATH_ROWS(rows) (rows)
#define itable_minimal_tuple heap_form_minimal_tuple
#endif
#if PG_VERSION_NUM >= 170000
#define PATH_PRIVATE(list) NIL, (list)
#define itable_array_length(array) estimate_array_length(NULL, (Node *) (array))
#else
#define PATH_PRIVATE(list) (list)
#define itable_array_length(array) estimate_array_length((Node *) (array))
#endif

/* From small to large? */
static inline bool
itable_is_ascending(const PathKey *pathkey)
{
#if PG_VERSION_NUM >= 180000
	return pathkey->pk_cmptype == COMPARE_LT;
#else
	return pathkey->pk_strategy == BTLessStrategyNumber;
#endif
}

/* What is equal, also about the child tables relids. */
static inline List *
itable_class_members(EquivalenceClass *ec, Relids relids)
{
#if PG_VERSION_NUM >= 180000
	EquivalenceMemberIterator it;
	EquivalenceMember *member;
	List	   *members = NIL;

	setup_eclass_member_iterator(&it, ec, relids);
	while ((member = eclass_member_iterator_next(&it)) != NULL)
		members = lappend(members, member);
	return members;
#else
	return ec->ec_members;
#endif
}

/* Whose rights a scan uses: a view's owner, or the caller. */
static inline Oid
itable_scan_user(ForeignScanState *node)
{
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
#if PG_VERSION_NUM >= 160000
	Oid			user = plan->checkAsUser;
#else
	Oid			user = exec_rt_fetch(plan->scan.scanrelid,
									 node->ss.ps.state)->checkAsUser;
#endif

	return OidIsValid(user) ? user : GetUserId();
}

/* Throws unless the current user owns the relation. */
static inline void
itable_compat_check_owner(Oid relid)
{
	if (!object_ownercheck(RelationRelationId, relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_FOREIGN_TABLE,
					   get_rel_name(relid));
}

/* Whose rights a write uses. */
static inline Oid
itable_write_user(ResultRelInfo *relation, EState *estate)
{
#if PG_VERSION_NUM >= 160000
	return ExecGetResultRelCheckAsUser(relation, estate);
#else
	Oid			user = relation->ri_RangeTableIndex == 0 ? InvalidOid :
	exec_rt_fetch(relation->ri_RangeTableIndex, estate)->checkAsUser;

	return OidIsValid(user) ? user : GetUserId();
#endif
}

/* The next datum of a sort, palloc'd; false at the end. */
static inline bool
itable_compat_sort_next(Tuplesortstate *sort, Datum *datum)
{
	bool		isnull;

	return tuplesort_getdatum(sort, true,
#if PG_VERSION_NUM >= 160000
							  true, /* copy */
#endif
							  datum, &isnull, NULL);
}

/* ANALYZE may be slowed down and cancelled here. */
static inline void
itable_analyze_delay(void)
{
#if PG_VERSION_NUM >= 180000
	vacuum_delay_point(true);
#else
	vacuum_delay_point();
#endif
}

/* The btree strategy of a row comparison: < <= >= or > */
static inline int
itable_row_strategy(const RowCompareExpr *expr)
{
#if PG_VERSION_NUM >= 180000
	return (int) expr->cmptype;
#else
	return (int) expr->rctype;
#endif
}

/* Does the collation order by bytes? */
static inline bool
itable_collation_is_c(Oid collation)
{
#if PG_VERSION_NUM >= 180000
	return pg_newlocale_from_collation(collation)->collate_is_c;
#else
	return lc_collate_is_c(collation);
#endif
}

/* Throws unless the current user may use the server. */
static inline void
itable_compat_check_server_usage(ForeignServer *server)
{
	AclResult	result = object_aclcheck(ForeignServerRelationId,
										 server->serverid, GetUserId(),
										 ACL_USAGE);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FOREIGN_SERVER, server->servername);
}

#endif							/* ITABLE_COMPAT_H */
