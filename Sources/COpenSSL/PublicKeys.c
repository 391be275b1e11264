#include "COpenSSL.h"

#include <openssl/core_names.h>
#include <openssl/param_build.h>

/// Makes a key of a type from its parameters, which are freed.
static EVP_PKEY *make_key(const char *type, OSSL_PARAM *parameters) {
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = parameters ? EVP_PKEY_CTX_new_from_name(NULL, type, NULL) : NULL;
  if (context && EVP_PKEY_fromdata_init(context) == 1 &&
      EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) {
    EVP_PKEY_free(key);
    key = NULL;
  }
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_free(parameters);
  return key;
}

EVP_PKEY *copenssl_make_rsa(const uint8_t *modulus, size_t modulus_count, const uint8_t *exponent,
                            size_t exponent_count) {
  BIGNUM *n = BN_bin2bn(modulus, (int)modulus_count, NULL);
  BIGNUM *e = BN_bin2bn(exponent, (int)exponent_count, NULL);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  OSSL_PARAM *parameters = NULL;
  if (n && e && builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1)
    parameters = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY *key = make_key("RSA", parameters);
  OSSL_PARAM_BLD_free(builder);
  BN_free(e);
  BN_free(n);
  return key;
}

EVP_PKEY *copenssl_make_point(const char *group, const uint8_t *point, size_t count) {
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  OSSL_PARAM *parameters = NULL;
  if (builder &&
      OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, group, 0) == 1 &&
      OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, count) == 1)
    parameters = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY *key = make_key("EC", parameters);
  OSSL_PARAM_BLD_free(builder);
  if (!key) return NULL;
  // Reading the point has checked it already; this also refuses the point at infinity.
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
  int is_valid = context && EVP_PKEY_public_check(context) == 1;
  EVP_PKEY_CTX_free(context);
  if (is_valid) return key;
  EVP_PKEY_free(key);
  return NULL;
}
