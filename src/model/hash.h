/*
 * hash.h
 *	  SHA-256 over bytes; the only place in model/ that knows OpenSSL.
 */
#ifndef TMODEL_HASH_H
#define TMODEL_HASH_H

#include "arena.h"

#define TMODEL_SHA256_BYTES 32

/* False when OpenSSL refuses (out of memory, or a provider without it). */
extern bool tmodel_sha256(tmodel_span data, uint8_t out[TMODEL_SHA256_BYTES]);

#endif							/* TMODEL_HASH_H */
