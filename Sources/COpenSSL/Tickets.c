#include "include/Tickets.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  copenssl_ticket_chooser chooser;
  void *owner;
} ticket_keys;

static int keys_index = -1;
static pthread_once_t keys_index_once = PTHREAD_ONCE_INIT;

static void free_keys(void *parent, void *keys, CRYPTO_EX_DATA *data, int index, long argument,
                      void *pointer) {
  (void)parent, (void)data, (void)index, (void)argument, (void)pointer;
  free(keys);
}

static void make_index(void) {
  keys_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, free_keys);
}

/// Sets cipher and MAC up for one ticket.
static int prepare(const copenssl_ticket_key *key, unsigned char *iv, EVP_CIPHER_CTX *cipher,
                   EVP_MAC_CTX *mac, int encrypts) {
  char digest[] = "SHA256";
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)key->authentication_key,
                                        sizeof key->authentication_key),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
      OSSL_PARAM_construct_end(),
  };
  return EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, key->cipher_key, iv, encrypts) == 1 &&
         EVP_MAC_CTX_set_params(mac, parameters) == 1;
}

static int use_key(SSL *ssl, unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *cipher,
                   EVP_MAC_CTX *mac, int encrypts) {
  const ticket_keys *keys = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), keys_index);
  copenssl_ticket_key key;
  if (keys == NULL) return -1;
  int choice = keys->chooser(keys->owner, encrypts ? NULL : name, &key);
  if (choice > 0) {
    if (encrypts) {
      memcpy(name, key.name, sizeof key.name);
      if (RAND_bytes(iv, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) != 1) choice = -1;
    }
    if (choice > 0 && !prepare(&key, iv, cipher, mac, encrypts)) choice = -1;
  }
  OPENSSL_cleanse(&key, sizeof key);
  return choice;
}

int copenssl_ctx_use_ticket_keys(SSL_CTX *context, copenssl_ticket_chooser chooser, void *owner,
                                 long lifetime) {
  pthread_once(&keys_index_once, make_index);
  if (keys_index < 0) return 0;
  ticket_keys *keys = malloc(sizeof *keys);
  if (keys == NULL) return 0;
  *keys = (ticket_keys){chooser, owner};
  if (SSL_CTX_set_ex_data(context, keys_index, keys) != 1) {
    free(keys);
    return 0;
  }
  SSL_CTX_set_timeout(context, lifetime);
  return (int)SSL_CTX_set_tlsext_ticket_key_evp_cb(context, use_key);
}
