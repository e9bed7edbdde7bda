/*
 * error.h
 *	  The error codes of the table service, with status and message.
 *
 * One table holds what the service says; callers pass an ErrCode around and
 * only the HTTP layer turns it into a body.  ERR_NONE is zero, so a function
 * that returns ErrCode reads as "what went wrong".
 */
#ifndef MTS_ERROR_H
#define MTS_ERROR_H

#include "mem.h"

typedef enum ErrCode
{
	ERR_NONE = 0,
	ERR_ATOM_NOT_SUPPORTED,
	ERR_AUTHENTICATION_FAILED,
	ERR_BATCH_PARTITIONS,
	ERR_BEARER_CHALLENGE,
	ERR_CORS_HEADER,
	ERR_CORS_PREFLIGHT,
	ERR_DUPLICATE_PROPERTIES,
	ERR_EMPTY_METADATA_KEY,
	ERR_ENTITY_EXISTS,
	ERR_ENTITY_TOO_LARGE,
	ERR_HOST_MISSING,
	ERR_INTERNAL,
	ERR_INVALID_AUTHENTICATION_INFO,
	ERR_INVALID_DUPLICATE_ROW,
	ERR_INVALID_HEADER_VALUE,
	ERR_INVALID_INPUT,
	ERR_INVALID_RESOURCE_NAME,
	ERR_INVALID_URI,
	ERR_INVALID_VALUE_TYPE,
	ERR_JSON_NOT_SUPPORTED,
	ERR_KEY_TOO_LARGE,
	ERR_LENGTH_MISSING,
	ERR_MEDIA_TYPE,
	ERR_METHOD_NOT_ALLOWED,
	ERR_MISSING_HEADER,
	ERR_NOT_IMPLEMENTED,
	ERR_OUT_OF_RANGE,
	ERR_PROPERTIES_NEED_VALUE,
	ERR_PROPERTY_NAME_INVALID,
	ERR_PROPERTY_NAME_TOO_LONG,
	ERR_PROPERTY_VALUE_TOO_LARGE,
	ERR_BODY_TOO_LARGE,
	ERR_RESOURCE_NOT_FOUND,
	ERR_TABLE_EXISTS,
	ERR_TABLE_NOT_FOUND,
	ERR_TOO_MANY_PROPERTIES,
	ERR_CONDITION_NOT_MET,
	ERR_XMETHOD_INCORRECT_COUNT,
	ERR_XMETHOD_INCORRECT_VALUE,
	ERR_XMETHOD_NOT_USING_POST,
	ERR_SERVER_BUSY,
	ERR_OPERATION_TIMED_OUT,
	ERR_AUTHORIZATION_FAILURE,
	ERR_AUTHORIZATION_PERMISSION,
	ERR_AUTHORIZATION_PROTOCOL,
	ERR_AUTHORIZATION_RESOURCE_TYPE,
	ERR_AUTHORIZATION_SERVICE,
	ERR_AUTHORIZATION_SOURCE_IP,
	ERR_READ_ONLY_SECONDARY,
	ERR_XML_DOCUMENT,
	ERR_XML_NODE_VALUE,
	ERR_QUERY_PARAMETER,
	ERR_QUERY_PARAMETER_RANGE,
	ERR_QUERY_PARAMETER_MISSING,
	ERR_QUEUE_EXISTS,
	ERR_QUEUE_NOT_FOUND,
	ERR_MESSAGE_NOT_FOUND,
	ERR_MESSAGE_TOO_LARGE,
	ERR_METADATA,
	ERR_VERB,
	ERR_COUNT
} ErrCode;

typedef struct ErrInfo
{
	int			status;			/* HTTP status */
	const char *code;			/* what odata.error's code says */
	const char *message;		/* English text of the service */
} ErrInfo;

extern const ErrInfo *error_info(ErrCode code);
extern const char *status_text(int status);

/* The body the table server sends for an error, JSON or XML. */
extern void error_body(Buf *out, bool xml, const char *code,
					   const char *message, const char *request_id);

/*
 * The <m:error> that stands before the table server: who may not ask, and
 * what concerns the service or a table's policies.
 */
extern void error_body_front_end(Buf *out, const char *code,
								 const char *message, const char *request_id);

/* The <Error> of the queue service. */
extern void error_body_plain(Buf *out, const char *code, const char *message,
							 const char *request_id);

#endif							/* MTS_ERROR_H */
