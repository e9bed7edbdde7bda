/*
 * properties.h
 *	  Service properties: logging, metrics and CORS rules, read and kept.
 */
#ifndef MTS_PROPERTIES_H
#define MTS_PROPERTIES_H

#include "command.h"

/* GET and PUT ?restype=service&comp=properties; they take the lock. */
extern ErrCode properties_get(Context *c, char service, Reply *reply);
extern ErrCode properties_set(Context *c, char service, Span body,
							  Reply *reply);

/* The name under which a section is kept. */
extern const char *properties_setting(Arena *a, char service,
									  const char *section);

/* GET ?restype=service&comp=stats, which the secondary endpoint answers. */
extern ErrCode service_stats(Context *c, Reply *reply);

#endif							/* MTS_PROPERTIES_H */
