#pragma once
#include <openssl/evp.h>
#include <stddef.h>
#include <stdint.h>

/// Makes a public RSA key from its modulus and exponent, big-endian; NULL when OpenSSL refuses. The
/// caller frees it.
EVP_PKEY *copenssl_make_rsa(const uint8_t *modulus, size_t modulus_count, const uint8_t *exponent,
                            size_t exponent_count);

/// Makes a public key from an uncompressed point; NULL when the point is not on the curve, or when
/// OpenSSL refuses. The caller frees it.
///
/// @param group OpenSSL's name of the curve, such as "prime256v1".
EVP_PKEY *copenssl_make_point(const char *group, const uint8_t *point, size_t count);
