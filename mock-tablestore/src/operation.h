/*
 * operation.h
 *	  The operations: each takes a Command and fills a Reply.
 *
 * An operation returns what went wrong, or ERR_NONE with reply->status set.
 * Those named *_apply need the store's lock, all others take it themselves.
 */
#ifndef MTS_OPERATION_H
#define MTS_OPERATION_H

#include "command.h"

/* A write whose body has been read and checked, ready to be applied. */
typedef struct Write
{
	const Command *cmd;
	Entity		entity;
	Span		pk;				/* key form */
	Span		rk;
} Write;

/* ops_table.c */
extern ErrCode table_list(Context *c, const Command *cmd, Reply *reply);
extern ErrCode table_get(Context *c, const Command *cmd, Reply *reply);
extern ErrCode table_create(Context *c, const Command *cmd, Reply *reply);
extern ErrCode table_delete(Context *c, const Command *cmd, Reply *reply);

/* GET and PUT of ?comp=acl */
extern ErrCode table_acl(Context *c, const Command *cmd, Reply *reply);

/* TableNotFound, or what is wrong with the name. */
extern ErrCode table_missing(Span name, const char **detail);

/* ops_entity.c */
extern ErrCode entity_get(Context *c, const Command *cmd, Reply *reply);
extern ErrCode entity_write(Context *c, const Command *cmd, Reply *reply);
extern ErrCode write_prepare(Context *c, const Command *cmd, Write *w,
							 Reply *reply);
extern ErrCode write_apply(Context *c, const Write *w, Reply *reply);

/* ops_query.c */
extern ErrCode entity_query(Context *c, const Command *cmd, Reply *reply);
extern const char *token_make(Arena *a, Span text);
extern bool token_read(Arena *a, const Span *token, Span *text);
extern ErrCode page_limit(const Command *cmd, int *limit);

/* ops_batch.c */
struct Batch;
extern ErrCode batch_run(Context *c, const Command *cmd,
						 struct Batch *batch, Reply *reply);

#endif							/* MTS_OPERATION_H */
