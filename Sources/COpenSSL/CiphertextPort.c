#include "COpenSSL.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static BIO_METHOD *port_method;
static pthread_once_t port_method_once = PTHREAD_ONCE_INIT;

static int port_read(BIO *bio, char *destination, size_t capacity, size_t *count) {
  copenssl_port *port = BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  *count = port->input_count < capacity ? port->input_count : capacity;
  if (*count == 0) {
    BIO_set_retry_read(bio);
    return 0;
  }
  memcpy(destination, port->input, *count);
  port->input += *count;
  port->input_count -= *count;
  return 1;
}

static int port_reserve(copenssl_port *port, size_t count) {
  if (count <= port->output_capacity - port->output_count) return 1;
  if (count > SIZE_MAX / 4 - port->output_count) return 0;
  size_t capacity = port->output_capacity < 4096 ? 4096 : port->output_capacity;
  while (capacity < port->output_count + count) capacity *= 2;
  uint8_t *grown = realloc(port->output, capacity);
  if (grown == NULL) return 0;
  port->output = grown;
  port->output_capacity = capacity;
  return 1;
}

static int port_write(BIO *bio, const char *source, size_t count, size_t *written) {
  copenssl_port *port = BIO_get_data(bio);
  BIO_clear_retry_flags(bio);
  *written = 0;
  if (!port_reserve(port, count)) return 0;
  if (count > 0) memcpy(port->output + port->output_count, source, count);
  port->output_count += count;
  *written = count;
  return 1;
}

static long port_control(BIO *bio, int command, long number, void *pointer) {
  (void)bio, (void)number, (void)pointer;
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

static int port_create(BIO *bio) {
  copenssl_port *port = calloc(1, sizeof *port);
  if (port == NULL) return 0;
  BIO_set_data(bio, port);
  BIO_set_init(bio, 1);
  return 1;
}

static int port_destroy(BIO *bio) {
  copenssl_port *port = BIO_get_data(bio);
  if (port == NULL) return 0;
  free(port->output);
  free(port);
  BIO_set_data(bio, NULL);
  return 1;
}

static void make_port_method(void) {
  BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "ciphertext port");
  if (method == NULL) return;
  int complete = BIO_meth_set_read_ex(method, port_read) &&
                 BIO_meth_set_write_ex(method, port_write) &&
                 BIO_meth_set_ctrl(method, port_control) &&
                 BIO_meth_set_create(method, port_create) &&
                 BIO_meth_set_destroy(method, port_destroy);
  if (complete) port_method = method;
  else BIO_meth_free(method);
}

BIO *copenssl_port_bio_new(void) {
  pthread_once(&port_method_once, make_port_method);
  return port_method == NULL ? NULL : BIO_new(port_method);
}

copenssl_port *copenssl_port_of(BIO *bio) { return BIO_get_data(bio); }

int copenssl_attach(SSL *ssl, BIO *bio) {
  if (SSL_get_rbio(ssl) == bio) return 1;
  // The session takes one reference for reading and writing together when both are the same.
  if (!BIO_up_ref(bio)) return 0;
  SSL_set_bio(ssl, bio, bio);
  return 1;
}

void copenssl_port_shrink(copenssl_port *port, size_t capacity) {
  port->output_count = 0;
  if (port->output_capacity <= capacity) return;
  free(port->output);
  port->output = NULL;
  port->output_capacity = 0;
}
