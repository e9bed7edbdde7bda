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

/* Is signature (base64) that of the text? */
extern bool auth_verify(const Account *account, const Buf *text,
						Span signature);

/* "Scheme name:signature"; lite says which scheme it is. */
extern bool auth_split(Span value, bool *lite, Span *name, Span *signature);

/* Is the date of x-ms-date or Date at most 15 minutes off? */
extern bool auth_date_is_near(const char *date);
#define AUTH_DATE_DETAIL \
	"Server failed to authenticate the request. The date header (x-ms-date " \
	"or Date) is missing, malformed or more than 15 minutes away from the " \
	"server's time."

/* raw_path and query as sent, percent-encoded. */
extern ErrCode auth_check(Arena *a, const Account *account,
						  const char *method, Span raw_path, Span query,
						  HeaderLookup header, void *who,
						  const char **detail);

#endif							/* MTS_AUTH_H */
