/*
 * filter.h
 *	  $filter: parsing, evaluation on stored entities, and key ranges.
 *
 * filter_parse() makes a tree; filter_ranges() derives the key ranges that
 * can hold matches (a superset, never less); filter_match() decides per row.
 * None of them knows SQLite or HTTP.
 */
#ifndef MTS_FILTER_H
#define MTS_FILTER_H

#include "entity.h"

typedef enum CmpOp
{
	CMP_EQ,
	CMP_NE,
	CMP_GT,
	CMP_GE,
	CMP_LT,
	CMP_LE
} CmpOp;

typedef enum FilterKind
{
	FILTER_CMP,
	FILTER_AND,
	FILTER_OR,
	FILTER_NOT
} FilterKind;

/* Slots below zero are not properties of the blob. */
#define SLOT_PK (-1)
#define SLOT_RK (-2)
#define SLOT_TIMESTAMP (-3)

typedef struct FilterNode
{
	FilterKind	kind;
	CmpOp		op;				/* of FILTER_CMP, property on the left */
	int			slot;			/* which property */
	Value		literal;		/* keys: the literal in key form */
	struct FilterNode *left;
	struct FilterNode *right;	/* NULL for FILTER_NOT */
} FilterNode;

typedef struct Filter
{
	FilterNode *root;			/* NULL: everything matches */
	Span	   *names;			/* property of each slot */
	int			nslots;
	int			cap;
} Filter;

/* All bounds are in key form. [lo, hi) over (pk, rk); no_hi: to the end. */
typedef struct KeyRange
{
	Span		lo_pk;
	Span		lo_rk;
	Span		hi_pk;
	Span		hi_rk;
	bool		no_hi;
} KeyRange;

typedef struct FilterRow
{
	Span		pk;				/* key form */
	Span		rk;
	Span		blob;
	Value	   *values;			/* one per slot; room given by the caller */
	bool	   *present;
} FilterRow;

extern ErrCode filter_parse(Arena *a, Span text, Filter *f,
							const char **detail);
extern bool filter_match(const Filter *f, FilterRow *row);

/* Sorted, disjoint ranges that cover every match. */
extern KeyRange *filter_ranges(Arena *a, const Filter *f, int *nranges);

#endif							/* MTS_FILTER_H */
