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

/* What the signature in an Authorization header may be of. */
typedef struct Signed
{
	Arena	   *arena;
	const Account *account;		/* the URL's; NULL when there is no such */
	const char *method;
	Span		raw_path;		/* as sent, percent-encoded */
	Span		query;			/* as sent */
	const Command *cmd;			/* its parameters are decoded */
	HeaderLookup header;
	HeaderEach	each;
	void	   *who;			/* first argument of header and each */
} Signed;

/* Appends the text that one service has signed; date as it was sent. */
typedef void (*SignedText) (Buf *out, const Signed *s, bool lite,
							const char *date);

/* SharedKey and SharedKeyLite, for any service. */
extern ErrCode auth_check(const Signed *s, SignedText text,
						  const char **detail);

/* The text of the table service. */
extern void table_signed_text(Buf *out, const Signed *s, bool lite,
							  const char *date);

#endif							/* MTS_AUTH_H */
