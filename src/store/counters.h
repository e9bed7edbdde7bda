/*
 * counters.h
 *	  What a client counts, by kind of operation.
 */
#ifndef TSTORE_COUNTERS_H
#define TSTORE_COUNTERS_H

#include <stdint.h>

typedef enum tstore_kind
{
	TSTORE_K_GET, TSTORE_K_QUERY, TSTORE_K_BATCH, TSTORE_K_INSERT,
	TSTORE_K_UPDATE, TSTORE_K_DELETE, TSTORE_K_TABLE, TSTORE_K_QUEUE,
	TSTORE_KINDS
} tstore_kind;

extern const char *const tstore_kind_names[TSTORE_KINDS];

/* Requests about this table count as TSTORE_K_TABLE: they are about tables. */
#define TSTORE_CATALOG_TABLE "itablecatalog"

typedef struct tstore_counters
{
	int64_t		requests;		/* a retry is a request too */
	int64_t		entities;		/* read, or written by accepted requests */
	int64_t		bytes_sent;
	int64_t		bytes_received;
	int64_t		retries;
	int64_t		throttles;		/* 503 and 429 answers */
	int64_t		connections;	/* opened */
} tstore_counters;

#endif							/* TSTORE_COUNTERS_H */
