/*
 * framing.c
 *	  Is it clear where a request ends, and for which host it is?
 *
 * libmicrohttpd takes the first of two lengths, prefers chunks to a length
 * and waits for the end of the connection after an unknown encoding; a proxy
 * in front may read the same bytes otherwise, and then one request smuggles
 * in another.  So everything that can be read in two ways is refused here.
 */
#include "framing.h"

#include <ctype.h>
#include <microhttpd.h>

typedef struct Framing
{
	int			lengths;
	int			encodings;
	int			hosts;
	int			xmethods;
	bool		other_encoding; /* than chunked */
	bool		bad_name;
} Framing;

/* Blanks before the colon are part of the name as the library has it. */
static bool
is_token(const char *name)
{
	if (*name == '\0')
		return false;
	while (isalnum((unsigned char) *name) || *name == '-' ||
		   (*name && strchr("!#$%&'*+.^_`|~", *name)))
		name++;
	return *name == '\0';
}

static enum MHD_Result
look(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
	Framing    *f = cls;

	switch (tolower((unsigned char) name[0]))
	{
		case 'c':
			f->lengths += strcasecmp(name, "Content-Length") == 0;
			break;
		case 'h':
			f->hosts += strcasecmp(name, "Host") == 0;
			break;
		case 't':
			if (strcasecmp(name, "Transfer-Encoding") == 0)
			{
				f->encodings++;
				f->other_encoding = value == NULL ||
					strcasecmp(value, "chunked") != 0;
			}
			break;
		case 'x':
			f->xmethods += strcasecmp(name, "X-HTTP-Method") == 0;
			break;
	}
	f->bad_name |= !is_token(name);
	return MHD_YES;
}

ErrCode
framing_check(struct MHD_Connection *connection, const char *method,
			  const char *version, const char **detail)
{
	Framing		f = {0};

	MHD_get_connection_values(connection, MHD_HEADER_KIND, look, &f);
	*detail = NULL;
	if (f.lengths > 1 || f.encodings > 1)
		*detail = "Content-Length or Transfer-Encoding is given twice.";
	else if (f.lengths > 0 && f.encodings > 0)
		*detail = "Content-Length and Transfer-Encoding exclude each other.";
	else if (f.other_encoding)
		*detail = "The only Transfer-Encoding of a request is chunked.";
	else if (f.bad_name)
		*detail = "A header's name is not one.";
	else if (f.hosts > 1)
		*detail = "Host is given twice.";
	if (*detail)
		return ERR_INVALID_HEADER_VALUE;
	if (f.hosts == 0 && strcmp(version, "HTTP/1.1") == 0)
		return ERR_HOST_MISSING;
	if (f.xmethods > 1)
		return ERR_XMETHOD_INCORRECT_COUNT;
	if (f.lengths == 0 && f.encodings == 0 &&
		(strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0))
		return ERR_LENGTH_MISSING;
	return ERR_NONE;
}
