/*
 * framing.h
 *	  Is it clear where a request ends, and for which host it is?
 */
#ifndef MTS_FRAMING_H
#define MTS_FRAMING_H

#include "error.h"

struct MHD_Connection;

/*
 * ERR_NONE, or why the request must be refused and its connection closed,
 * before its body is read; *detail then says which header is at fault.
 */
extern ErrCode framing_check(struct MHD_Connection *connection,
							 const char *method, const char *version,
							 const char **detail);

#endif							/* MTS_FRAMING_H */
