/*
 * hash.c
 *	  SHA-256 through OpenSSL's EVP.
 *
 * Signing requests is store/sign.c's; this is for shortened index keys.
 */
#include "hash.h"

#include <openssl/evp.h>

/* One-shot digest. */
bool
tmodel_sha256(tmodel_span data, uint8_t out[TMODEL_SHA256_BYTES])
{
	unsigned int len = 0;

	return EVP_Digest(data.len > 0 ? data.data : "", data.len, out, &len,
					  EVP_sha256(), NULL) == 1 && len == TMODEL_SHA256_BYTES;
}
