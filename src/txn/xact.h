/*
 * xact.h
 *	  Hooks the wrapper into PostgreSQL's transactions.
 */
#ifndef ITABLE_XACT_H
#define ITABLE_XACT_H

/* Once, when the library is loaded. */
extern void itable_xact_init(void);

#endif							/* ITABLE_XACT_H */
