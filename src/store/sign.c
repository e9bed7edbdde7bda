/*
 * sign.c
 *	  SharedKey signatures, base64 keys and the dates of HTTP.
 *
 * SharedKey for tables signs VERB, Content-MD5 (never sent), Content-Type, the
 * date and "/account" followed by the URL's path exactly as it is sent; the
 * query does not count, except "comp", which this client never sends.
 *
 * Called by request.c and client.c.  Easy to break: dates are made without
 * strftime, because their names must not follow LC_TIME.
 */
#include "sign.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char sign_days[7][4] = {
	"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"
};

static const char sign_months[12][4] = {
	"Jan", "Feb", "Mar", "Apr", "May", "Jun",
	"Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
};

/* Is this base64 with its padding? */
static bool
base64_is_valid(tmodel_span text)
{
	size_t		padding = 0;

	if (text.len % 4 != 0)
		return false;
	while (padding < 2 && padding < text.len &&
		   text.data[text.len - 1 - padding] == '=')
		padding++;
	for (size_t i = 0; i < text.len - padding; i++)
	{
		char		c = text.data[i];

		if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
			  (c >= '0' && c <= '9') || c == '+' || c == '/'))
			return false;
	}
	return true;
}

/* See sign.h.  When memory is short the arena's flag is up. */
bool
tstore_base64_decode(tmodel_arena *arena, tmodel_span text,
					 tmodel_span *bytes)
{
	unsigned char *out;
	int			len;

	if (!base64_is_valid(text) || text.len > INT32_MAX)
		return false;
	out = tmodel_alloc(arena, text.len / 4 * 3 + 1);
	if (out == NULL)
		return false;
	len = EVP_DecodeBlock(out, (const unsigned char *) text.data,
						  (int) text.len);
	if (len < 0)
		return false;
	for (size_t i = text.len; i > 0 && text.data[i - 1] == '='; i--)
		len--;					/* the decoder counts padding as bytes */
	bytes->data = (const char *) out;
	bytes->len = (size_t) len;
	return true;
}

/* See sign.h. */
void
tstore_http_date(int64_t unix_seconds, char date[TSTORE_HTTP_DATE_SIZE])
{
	time_t		seconds = (time_t) unix_seconds;
	struct tm	tm;

	if (gmtime_r(&seconds, &tm) == NULL)
		memset(&tm, 0, sizeof(tm));
	snprintf(date, TSTORE_HTTP_DATE_SIZE, "%s, %02u %s %04u %02u:%02u:%02u GMT",
			 sign_days[(unsigned) tm.tm_wday % 7], (unsigned) tm.tm_mday % 100,
			 sign_months[(unsigned) tm.tm_mon % 12],
			 ((unsigned) tm.tm_year + 1900) % 10000,
			 (unsigned) tm.tm_hour % 100, (unsigned) tm.tm_min % 100,
			 (unsigned) tm.tm_sec % 100);
}

/* Days from 1970-01-01; the calendar is Gregorian throughout. */
static int64_t
date_days(int year, int month, int day)
{
	int64_t		years = month <= 2 ? year - 1 : year;
	int64_t		era = years / 400;
	int64_t		year_of_era = years - era * 400;
	int64_t		from_march = month > 2 ? month - 3 : month + 9;
	int64_t		day_of_year = (153 * from_march + 2) / 5 + day - 1;

	return era * 146097 + year_of_era * 365 + year_of_era / 4 -
		year_of_era / 100 + day_of_year - 719468;
}

/* See sign.h. */
bool
tstore_http_date_read(tmodel_span text, int64_t *unix_seconds)
{
	char		copy[TSTORE_HTTP_DATE_SIZE];
	char		month_name[4];
	int			day;
	int			year;
	int			hour;
	int			minute;
	int			second;
	int			end = 0;

	if (text.len != TSTORE_HTTP_DATE_SIZE - 1)
		return false;
	memcpy(copy, text.data, text.len);
	copy[text.len] = '\0';
	if (sscanf(copy, "%*3[A-Za-z], %2d %3[A-Za-z] %4d %2d:%2d:%2d GMT%n",
			   &day, month_name, &year, &hour, &minute, &second, &end) != 6 ||
		end != TSTORE_HTTP_DATE_SIZE - 1)
		return false;
	if (day < 1 || day > 31 || year < 1601 || hour < 0 || hour > 23 ||
		minute < 0 || minute > 59 || second < 0 || second > 60)
		return false;
	for (int month = 0; month < 12; month++)
	{
		if (strcmp(sign_months[month], month_name) == 0)
		{
			*unix_seconds = date_days(year, month + 1, day) * 86400 +
				hour * 3600 + minute * 60 + second;
			return true;
		}
	}
	return false;
}

/* HMAC-SHA256 of the text in base64; empty when memory is short. */
static tmodel_span
sign_text(tmodel_arena *arena, tmodel_span key, const tmodel_buf *text)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned int digest_len = 0;
	char	   *signature = tmodel_alloc(arena, EVP_MAX_MD_SIZE * 2);

	if (signature == NULL || arena->failed ||
		HMAC(EVP_sha256(), key.data, (int) key.len,
			 (const unsigned char *) text->data, text->len,
			 digest, &digest_len) == NULL)
		return (tmodel_span) {NULL, 0};
	EVP_EncodeBlock((unsigned char *) signature, digest, (int) digest_len);
	return tmodel_span_of(signature);
}

/* See sign.h. */
tmodel_span
tstore_sign(tmodel_arena *arena, tmodel_span account, tmodel_span key,
			const char *method, const char *content_type, const char *date,
			tmodel_span path)
{
	tmodel_buf	text;

	tmodel_buf_init(&text, arena);
	tmodel_buf_printf(&text, "%s\n\n%s\n%s\n/", method,
					  content_type != NULL ? content_type : "", date);
	tmodel_buf_span(&text, account);
	tmodel_buf_span(&text, path);
	return sign_text(arena, key, &text);
}

/* See sign.h.  Of twelve standard headers it sends two. */
tmodel_span
tstore_sign_queue(tmodel_arena *arena, tmodel_span account, tmodel_span key,
				  const char *method, const char *content_type,
				  size_t content_length, const char *date,
				  const char *version, tmodel_span path,
				  tmodel_span resource)
{
	tmodel_buf	text;

	tmodel_buf_init(&text, arena);
	tmodel_buf_printf(&text, "%s\n\n\n", method);
	if (content_length > 0)
		tmodel_buf_printf(&text, "%zu", content_length);
	tmodel_buf_printf(&text, "\n\n%s\n\n\n\n\n\n\nx-ms-date:%s\n"
					  "x-ms-version:%s\n/",
					  content_type != NULL ? content_type : "", date, version);
	tmodel_buf_span(&text, account);
	tmodel_buf_span(&text, path);
	tmodel_buf_span(&text, resource);
	return sign_text(arena, key, &text);
}
