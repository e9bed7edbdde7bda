/*
 * census_int.h
 *	  What census.c and census_estimate.c share.
 */
#ifndef TMODEL_CENSUS_INT_H
#define TMODEL_CENSUS_INT_H

#include "census.h"
#include "key_space.h"

struct tmodel_known
{
	tmodel_key_pair first;
	tmodel_key_pair last;
	tmodel_span last_from;		/* row key of the last partition's first row */
	tmodel_span asked_from;		/* of an ask within a partition; else empty */
	double		rows;
	double		partitions;
	double		rows_first;		/* of the first partition */
	double		rows_last;		/* of the last one */
	double		stands_for;
};

/* A stretch that was read, or a gap. */
typedef struct tmodel_census_node node;

struct tmodel_census_node
{
	node	   *prev;
	node	   *next;
	tmodel_known *known;		/* NULL: a gap */
	bool		one;			/* in a partition */
	tmodel_span partition;
	tmodel_span from;			/* behind it */
	tmodel_span to;				/* before it; empty: the end */
	bool		asked;			/* an answer is on its way */
	bool		followed;		/* something of it was asked for already */
	bool		endless;		/* its end was looked for in vain */
	tmodel_span empty_to;		/* nothing lies between "to" and this */
	double		rows;			/* estimated */
	double		error;
	double		weight;			/* how much it matters to look into it */
	double		expected;		/* rows, when it was asked about */
	double		look_at;		/* where to look: a share of the gap */
	bool		rough;			/* the estimate is little more than a guess */
};

/* Partitions without a gap between them. */
typedef struct tmodel_census_run
{
	tmodel_span first;
	tmodel_span last;
	double		rows;
	double		rows_first;		/* of the first partition */
	double		rows_now;		/* of the last one */
	double		partitions;
	double		unsure;			/* error of partitions but the first */
	node	   *task;			/* what is to be asked to make it of use */
	double		urgent;			/* how unsure that is */
	int			stretches;
} census_run;

struct tmodel_census
{
	tmodel_arena *arena;
	tmodel_space space[2];		/* of row keys, of partition keys */
	uint64_t	random;
	int			page;
	node	   *head;			/* the first stretch */
	int			nruns;
	int			room;
	census_run *runs;			/* as of the last estimate */
	double		between;		/* rows in gaps between partitions */
	/* partitions read on behind a page: [1] it was all of the partition */
	int			nfollowed[2];
	double		found[2];		/* rows that were found there */
	int			nmore[2];		/* where there were still more */
	/* gaps that were looked into, the last ones counting most: */
	double		looks;			/* how many */
	double		changed;		/* by which part, more or less; a sum */
};

/* Is a page all of one partition?  Then there is likely to be more of it. */
#define fills_page(census, known) \
	((known)->partitions == 1 && (known)->rows >= (census)->page)

/* in census_estimate.c: estimates every gap, and what makes runs of use */
extern void tmodel_census_refresh(tmodel_census *census);

#endif							/* TMODEL_CENSUS_INT_H */
