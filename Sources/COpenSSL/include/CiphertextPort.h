#pragma once
#include <openssl/bio.h>
#include <stddef.h>
#include <stdint.h>

/// Where TLS sessions of one thread take ciphertext from and leave it: two areas in memory.
///
/// One port, and one BIO in front of it, serves any number of sessions one after another, so an
/// idle session owns neither a BIO nor a buffer. Not safe to use from two threads at once.
typedef struct copenssl_port {
  /// What may be read: borrowed from the caller for the length of one call.
  const uint8_t *input;
  size_t input_count;
  /// What was written and not yet taken: owned by the port, grown by doubling, kept for reuse.
  uint8_t *output;
  size_t output_count;
  size_t output_capacity;
} copenssl_port;

/// Makes a BIO with a port of its own behind it; NULL when memory is out. Reading at the end of
/// the input asks for a retry, as a socket without data does. Writing takes everything. The port
/// is freed with the last reference to the BIO.
BIO *copenssl_port_bio_new(void);

/// The port behind a BIO of `copenssl_port_bio_new`.
copenssl_port *copenssl_port_of(BIO *bio);

/// Lets the session read from and write to the BIO, unless it does already.
///
/// @return 1, or 0 when the reference count cannot be taken.
int copenssl_attach(SSL *ssl, BIO *bio);

/// Gives the output area back when it has grown beyond `capacity`; what it holds is discarded.
void copenssl_port_shrink(copenssl_port *port, size_t capacity);
