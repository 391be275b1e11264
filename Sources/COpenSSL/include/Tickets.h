#pragma once
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <stdint.h>

/// The secrets that a server protects its session tickets with.
typedef struct copenssl_ticket_key {
  /// Stands in the ticket, so that the key is found again.
  uint8_t name[16];
  uint8_t cipher_key[32];
  uint8_t authentication_key[32];
} copenssl_ticket_key;

/// Chooses the key of a ticket.
///
/// @param name NULL for a new ticket, else the name in the client's.
/// @return 0 when there is no such key, 1 when the key is to be used, 2 when the client should get a
///   new ticket as well.
typedef int (*copenssl_ticket_chooser)(void *owner, const uint8_t *name, copenssl_ticket_key *key);

/// Has the context protect tickets, by AES-256-CBC and HMAC-SHA-256, with the keys that the chooser
/// gives, and honour them for `lifetime` seconds. The owner must live as long as the context.
///
/// @return 1, or 0 when OpenSSL refuses.
int copenssl_ctx_use_ticket_keys(SSL_CTX *context, copenssl_ticket_chooser chooser, void *owner,
                                 long lifetime);
