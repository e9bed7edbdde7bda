/*
 * stream.h
 *	  Reply bodies that arrive broken, slowly, or far too long.
 */
#ifndef MTS_STREAM_H
#define MTS_STREAM_H

#include "fault.h"

struct MHD_Connection;
struct MHD_Response;

/* Does the fault concern the body of the reply? */
extern bool stream_is_for(const Fault *fault);

/* Replace the body by bytes that are the same in every run. */
extern void stream_garbage(Buf *body, int64_t bytes);

/* A response with the body, which it takes over, sent as the fault says. */
extern struct MHD_Response *stream_open(const Fault *fault, Buf body,
										struct MHD_Connection *connection,
										int fd);

#endif							/* MTS_STREAM_H */
