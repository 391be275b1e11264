#pragma once
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <stddef.h>

/// Reads a whole file into a memory BIO, which the caller frees.
///
/// @return 0, or the errno that says why not: EISDIR for a directory, EFBIG beyond `limit` bytes.
int copenssl_read_file(const char *path, size_t limit, BIO **contents);

/// Reads a PEM private key, never asking a terminal for a passphrase: an encrypted key gives NULL.
EVP_PKEY *copenssl_read_private_key(BIO *contents);

/// Generates a private key on the curve P-256, which the caller frees; NULL when OpenSSL fails.
EVP_PKEY *copenssl_generate_p256(void);
