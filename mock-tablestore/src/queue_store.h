/*
 * queue_store.h
 *	  Queues and messages, kept in the store's database.
 *
 * Every function but open and close needs the store's lock.
 */
#ifndef MTS_QUEUE_STORE_H
#define MTS_QUEUE_STORE_H

#include "store.h"

typedef struct Queue
{
	int64_t		id;
	Span		name;			/* in the arena */
	Span		metadata;		/* "name:value\n"; in the arena */
} Queue;

/* Times are ticks. */
typedef struct Message
{
	int64_t		seq;			/* unique, ascending */
	int64_t		inserted;
	int64_t		expires;
	int64_t		visible;		/* from then on it can be got */
	int64_t		receipt;		/* grows with every get and update */
	int64_t		dequeued;		/* how often it was got */
	Span		text;			/* in the arena */
} Message;

extern StoreResult queue_store_open(Store *s);

/* Before store_close. */
extern void queue_store_close(void);
extern StoreResult queue_store_reset(Store *s);

extern StoreResult queue_find(Store *s, Arena *a, const char *account,
							  Span name, Queue *q);
extern StoreResult queue_create(Store *s, const char *account, Span name,
								Span metadata);
extern StoreResult queue_drop(Store *s, int64_t id);
extern StoreResult queue_set_metadata(Store *s, int64_t id, Span metadata);

/* The first queue with a name >= from (> from when after). */
extern StoreResult queue_next(Store *s, Arena *a, const char *account,
							  Span from, bool after, Queue *q);
extern StoreResult queue_count(Store *s, int64_t id, int64_t now,
							   int64_t *count);

/* Sets m->seq. */
extern StoreResult message_add(Store *s, int64_t queue, Message *m);

/* Up to max visible messages, oldest first; the expired ones are removed. */
extern StoreResult message_visible(Store *s, Arena *a, int64_t queue,
								   int64_t now, int max, Message *found,
								   int *n);
extern StoreResult message_find(Store *s, Arena *a, int64_t queue,
								int64_t seq, Message *m);
extern StoreResult message_save(Store *s, const Message *m);
extern StoreResult message_remove(Store *s, int64_t seq);
extern StoreResult message_clear(Store *s, int64_t queue);

#endif							/* MTS_QUEUE_STORE_H */
