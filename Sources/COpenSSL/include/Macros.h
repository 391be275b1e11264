#pragma once
// OpenSSL's function-like macros and computed constants, which Swift cannot import.

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

static const uint64_t copenssl_op_no_renegotiation = SSL_OP_NO_RENEGOTIATION;
static const uint64_t copenssl_op_no_compression = SSL_OP_NO_COMPRESSION;
static const uint64_t copenssl_op_server_preference = SSL_OP_CIPHER_SERVER_PREFERENCE;
static const uint64_t copenssl_op_prioritize_chacha = SSL_OP_PRIORITIZE_CHACHA;

static const unsigned int copenssl_never_check_subject = X509_CHECK_FLAG_NEVER_CHECK_SUBJECT;

static inline int copenssl_ctx_set_min_version(SSL_CTX *context, int version) {
  return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline int copenssl_ctx_set_max_version(SSL_CTX *context, int version) {
  return (int)SSL_CTX_set_max_proto_version(context, version);
}

/// A session gives its record buffers back whenever they are empty.
static inline void copenssl_ctx_release_idle_buffers(SSL_CTX *context) {
  (void)SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
}

/// The chain sent is the one configured, not one searched for in every handshake.
static inline void copenssl_ctx_disable_chain_search(SSL_CTX *context) {
  (void)SSL_CTX_set_mode(context, SSL_MODE_NO_AUTO_CHAIN);
}

static inline void copenssl_ctx_disable_session_cache(SSL_CTX *context) {
  (void)SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

static inline int copenssl_ctx_set_groups(SSL_CTX *context, const char *groups) {
  return (int)SSL_CTX_set1_groups_list(context, groups);
}

/// Takes over the caller's reference when it succeeds.
static inline int copenssl_ctx_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
  return (int)SSL_CTX_add0_chain_cert(context, certificate);
}

static inline int copenssl_set_server_name(SSL *ssl, const char *name) {
  return (int)SSL_set_tlsext_host_name(ssl, name);
}

static inline int copenssl_error_library(unsigned long code) { return ERR_GET_LIB(code); }

static inline int copenssl_error_reason(unsigned long code) { return ERR_GET_REASON(code); }
