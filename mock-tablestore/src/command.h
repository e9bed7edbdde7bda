/*
 * command.h
 *	  One operation on the store, as a request or a part of a batch asks it.
 *
 * command_parse() turns method, path, query and headers into a Command; the
 * same rules hold outside and inside of a batch.  A Reply is what the
 * operation answers, before it is written as HTTP or as a part of a batch.
 */
#ifndef MTS_COMMAND_H
#define MTS_COMMAND_H

#include "entity.h"
#include "store.h"

typedef enum Operation
{
	OP_NONE,
	OP_TABLE_LIST,
	OP_TABLE_GET,
	OP_TABLE_CREATE,
	OP_TABLE_DELETE,
	OP_QUERY,
	OP_GET,
	OP_INSERT,
	OP_REPLACE,
	OP_MERGE,
	OP_DELETE,
	OP_BATCH,
	OP_SERVICE_GET,				/* properties */
	OP_SERVICE_SET,
	OP_SERVICE_STATS,
	OP_ACL_GET,
	OP_ACL_SET
} Operation;

/* How much metadata a JSON answer carries. */
typedef enum Level
{
	LEVEL_UNSUPPORTED,			/* atom, or no Accept at all */
	LEVEL_NONE,
	LEVEL_MINIMAL,
	LEVEL_FULL
} Level;

#define MAX_PARAMS 24

typedef struct Param
{
	Span		name;			/* decoded */
	Span		value;			/* decoded */
} Param;

typedef struct Command
{
	Operation	op;
	Span		table;			/* as in the URL */
	Span		pk;				/* UTF-8, unchecked */
	Span		rk;
	Param		params[MAX_PARAMS];
	int			nparams;
	Level		level;
	const char *if_match;		/* NULL: not sent */
	bool		has_if_none_match;
	const char *content_id;		/* NULL: not sent */
	const char *content_type;	/* NULL: not sent */
	bool		no_content;		/* Prefer: return-no-content */
	bool		has_prefer;
	Span		body;
} Command;

#define MAX_REPLY_HEADERS 32

typedef struct Header
{
	const char *name;
	const char *value;			/* in the arena, or a constant */
} Header;

typedef struct Reply
{
	int			status;
	ErrCode		err;
	const char *detail;			/* message instead of the general one */
	const char *code;			/* code instead of the general one */
	Buf			body;
	const char *content_type;	/* NULL: no body */
	Header		headers[MAX_REPLY_HEADERS];
	int			nheaders;
	bool		front_end;		/* without the headers of the table server */
	Span		exposed;		/* header names a CORS rule exposes */
	int			entities_in;	/* written */
	int			entities_out;	/* returned */
} Reply;

/* What every operation may use. */
typedef struct Context
{
	Arena	   *arena;
	Store	   *store;
	const char *account;
	const char *base_url;		/* "http://host:port/account" */
	const char *request_id;
	const struct Fault *page_script;	/* of a query; NULL: a usual page */
	const struct Grant *grant;	/* NULL: signed with the key, all allowed */
} Context;

typedef const char *(*HeaderLookup) (void *who, const char *name);
typedef void (*HeaderSink) (void *closure, const char *name,
							const char *value);

/* Calls the sink with every header of the request. */
typedef void (*HeaderEach) (void *who, HeaderSink sink, void *closure);

extern ErrCode command_parse(Arena *a, const char *method, Span path,
							 Span query, HeaderLookup header, void *who,
							 Command *cmd, const char **detail);
extern const Span *command_param(const Command *cmd, const char *name);
extern bool command_is_write(Operation op);

/* For all services: name=value pairs, decoded. */
extern ErrCode command_query(Arena *a, Span query, Command *cmd);

extern void reply_header(Reply *r, const char *name, const char *value);
extern const char *content_type_of(Level level, bool streaming);

/* W/"datetime'..'" for a Timestamp, in the arena. */
extern const char *etag_of(Arena *a, int64_t ticks);

#endif							/* MTS_COMMAND_H */
