#include "COpenSSL.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_descriptor(int descriptor, size_t limit, BIO *memory) {
  char block[4096];
  size_t total = 0;
  int problem = 0;
  while (problem == 0) {
    ssize_t count = read(descriptor, block, sizeof block);
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      problem = errno;
    } else if ((total += (size_t)count) > limit) {
      problem = EFBIG;
    } else if (BIO_write(memory, block, (int)count) != (int)count) {
      problem = ENOMEM;
    }
  }
  // It may have been a private key.
  OPENSSL_cleanse(block, sizeof block);
  return problem;
}

int copenssl_read_file(const char *path, size_t limit, BIO **contents) {
  *contents = NULL;
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  BIO *memory = BIO_new(BIO_s_mem());
  int problem = memory == NULL ? ENOMEM : read_descriptor(descriptor, limit, memory);
  close(descriptor);
  if (problem != 0) {
    BIO_free(memory);
    return problem;
  }
  *contents = memory;
  return 0;
}

static int refuse_passphrase(char *buffer, int capacity, int writing, void *context) {
  (void)buffer, (void)capacity, (void)writing, (void)context;
  return -1;
}

EVP_PKEY *copenssl_read_private_key(BIO *contents) {
  return PEM_read_bio_PrivateKey(contents, NULL, refuse_passphrase, NULL);
}

// A variadic function, which Swift cannot import.
EVP_PKEY *copenssl_generate_p256(void) { return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256"); }
