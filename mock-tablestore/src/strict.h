/*
 * strict.h
 *	  --strict: what the service tolerates but documents as wrong.
 */
#ifndef MTS_STRICT_H
#define MTS_STRICT_H

#include "router.h"

extern void strict_enable(void);
extern bool strict_on(void);

/*
 * Of a request to the table service that is right otherwise; the detail of
 * its reply names the rule that was broken.
 */
extern ErrCode strict_check(Request *r);

#endif							/* MTS_STRICT_H */
