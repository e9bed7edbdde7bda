/*
 * auth.h
 *	  Accounts, and whether a request is signed by one of them.
 */
#ifndef MTS_AUTH_H
#define MTS_AUTH_H

#include "command.h"

typedef struct Account Account;

/* False when the key is no base64 text. */
extern bool account_add(const char *name, const char *key_base64);
extern int	account_count(void);

/* name may carry "-secondary"; NULL when there is no such account. */
extern const Account *account_find(Span name);
extern const char *account_name(const Account *account);
extern void account_free_all(void);

/* raw_path and query as sent, percent-encoded. */
extern ErrCode auth_check(Arena *a, const Account *account,
						  const char *method, Span raw_path, Span query,
						  HeaderLookup header, void *who,
						  const char **detail);

#endif							/* MTS_AUTH_H */
