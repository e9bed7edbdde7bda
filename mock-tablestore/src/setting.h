/*
 * setting.h
 *	  Named texts of an account: service properties and access policies.
 *
 * Kept in the store beside the entities; every function needs its lock.
 */
#ifndef MTS_SETTING_H
#define MTS_SETTING_H

#include "store.h"

/* A copy in the arena; STORE_NOT_FOUND leaves *value empty. */
extern StoreResult setting_get(Store *s, Arena *a, const char *account,
							   const char *name, Span *value);

/* Is there one whose name and value are LIKE these, of any account? */
extern bool setting_is_any(Store *s, const char *name, const char *value);

/* value NULL: forget it. */
extern StoreResult setting_put(Store *s, const char *account,
							   const char *name, const Span *value);

#endif							/* MTS_SETTING_H */
