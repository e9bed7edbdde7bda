/*
 * pages.c
 *	  Reads a whole table page after page and throws the bytes away: as fast as
 *	  one connection can be with libcurl, without reading what comes.
 *
 *	  pages ENDPOINT ACCOUNT KEY TABLE
 *
 * Prints "seconds requests bytes".  The yardstick of bench/compare.py; it shares
 * nothing with src/.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include <curl/curl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

/* Where the next page begins; empty: the table is read. */
static char next_partition[4096];
static char next_row[4096];
static long long bytes;

static size_t
throw_away(char *data, size_t size, size_t n, void *ctx)
{
	bytes += size * n;
	return size * n;
}

static void
take_header(const char *line, size_t len, const char *name, char *value)
{
	size_t		skip = strlen(name);

	if (len <= skip || strncasecmp(line, name, skip) != 0)
		return;
	while (skip < len && line[skip] == ' ')
		skip++;
	while (len > skip && (line[len - 1] == '\r' || line[len - 1] == '\n'))
		len--;
	snprintf(value, 4096, "%.*s", (int) (len - skip), line + skip);
}

static size_t
read_header(char *data, size_t size, size_t n, void *ctx)
{
	take_header(data, n, "x-ms-continuation-NextPartitionKey:",
				next_partition);
	take_header(data, n, "x-ms-continuation-NextRowKey:", next_row);
	return size * n;
}

/* SharedKeyLite: the date and the resource, signed. */
static void
sign(char *header, size_t size, const char *date, const char *account,
	 const char *key, const char *table)
{
	unsigned char secret[256];
	unsigned char mac[EVP_MAX_MD_SIZE];
	unsigned char text[2 * EVP_MAX_MD_SIZE];
	char		message[1024];
	unsigned int len = 0;
	int			secret_len = EVP_DecodeBlock(secret,
											 (const unsigned char *) key,
											 strlen(key));

	for (size_t i = strlen(key); i > 0 && key[i - 1] == '='; i--)
		secret_len--;
	snprintf(message, sizeof(message), "%s\n/%s/%s/%s()", date, account,
			 account, table);
	HMAC(EVP_sha256(), secret, secret_len, (unsigned char *) message,
		 strlen(message), mac, &len);
	EVP_EncodeBlock(text, mac, len);
	snprintf(header, size, "Authorization: SharedKeyLite %s:%s", account,
			 (char *) text);
}

static struct curl_slist *
headers(const char *account, const char *key, const char *table)
{
	struct curl_slist *list = NULL;
	char		date[64];
	char		line[1024];
	time_t		now = time(NULL);

	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", gmtime(&now));
	snprintf(line, sizeof(line), "x-ms-date: %s", date);
	list = curl_slist_append(list, line);
	sign(line, sizeof(line), date, account, key, table);
	list = curl_slist_append(list, line);
	list = curl_slist_append(list, "x-ms-version: 2019-02-02");
	return curl_slist_append(list,
							 "Accept: application/json;odata=nometadata");
}

int
main(int argc, char **argv)
{
	CURL	   *curl = curl_easy_init();
	struct timespec start;
	struct timespec end;
	long		requests = 0;

	if (argc != 5 || curl == NULL)
		return 2;
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, throw_away);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, read_header);
	curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
	clock_gettime(CLOCK_MONOTONIC, &start);
	do
	{
		char		url[10000];
		struct curl_slist *list = headers(argv[2], argv[3], argv[4]);

		if (next_partition[0] != '\0')
			snprintf(url, sizeof(url),
					 "%s/%s()?NextPartitionKey=%s&NextRowKey=%s", argv[1],
					 argv[4], next_partition, next_row);
		else
			snprintf(url, sizeof(url), "%s/%s()", argv[1], argv[4]);
		next_partition[0] = next_row[0] = '\0';
		curl_easy_setopt(curl, CURLOPT_URL, url);
		curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
		if (curl_easy_perform(curl) != CURLE_OK)
			return 1;
		curl_slist_free_all(list);
		requests++;
	} while (next_partition[0] != '\0');
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%.6f %ld %lld\n", (end.tv_sec - start.tv_sec) +
		   (end.tv_nsec - start.tv_nsec) / 1e9, requests, bytes);
	curl_easy_cleanup(curl);
	return 0;
}
