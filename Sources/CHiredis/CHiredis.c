#include "CHiredis.h"

#include <stdlib.h>

struct chiredis_reader {
  redisReader *reader;
  /// hiredis' functions, but for those that create what has a length.
  redisReplyObjectFunctions functions;
  const redisReplyObjectFunctions *standard;
  size_t byte_limit, element_limit;
  /// The rest of the limits for the reply that is being read.
  size_t bytes_left, elements_left;
  int is_too_large;
};

// hiredis 1.0 has changed the type of an array's length.
#if HIREDIS_MAJOR >= 1
typedef size_t array_length;
#else
typedef int array_length;
#endif

static void *create_string(const redisReadTask *task, char *text, size_t length) {
  chiredis_reader *own = task->privdata;
  if (length > own->bytes_left) {
    own->is_too_large = 1;
    return NULL;
  }
  own->bytes_left -= length;
  return own->standard->createString(task, text, length);
}

static void *create_array(const redisReadTask *task, array_length count) {
  chiredis_reader *own = task->privdata;
  // The 64-bit type covers both; a negative length is that of no array.
  long long wanted = count;
  if (wanted < 0 || (size_t)wanted > own->elements_left) {
    own->is_too_large = 1;
    return NULL;
  }
  own->elements_left -= (size_t)wanted;
  return own->standard->createArray(task, count);
}

static void begin_reply(chiredis_reader *own) {
  own->bytes_left = own->byte_limit;
  own->elements_left = own->element_limit;
}

chiredis_reader *chiredis_reader_create(size_t byte_limit, size_t element_limit) {
  chiredis_reader *own = calloc(1, sizeof *own);
  if (own == NULL) return NULL;
  own->reader = redisReaderCreate();
  if (own->reader == NULL) {
    free(own);
    return NULL;
  }
  own->standard = own->reader->fn;
  own->functions = *own->standard;
  own->functions.createString = create_string;
  own->functions.createArray = create_array;
  own->reader->fn = &own->functions;
  own->reader->privdata = own;
  own->byte_limit = byte_limit;
  own->element_limit = element_limit;
  begin_reply(own);
  return own;
}

void chiredis_reader_free(chiredis_reader *own) {
  redisReaderFree(own->reader);
  free(own);
}

int chiredis_reader_feed(chiredis_reader *own, const char *bytes, size_t count) {
  return redisReaderFeed(own->reader, bytes, count) == REDIS_OK ? 0 : -1;
}

int chiredis_reader_next(chiredis_reader *own, redisReply **reply) {
  void *found = NULL;
  *reply = NULL;
  if (redisReaderGetReply(own->reader, &found) != REDIS_OK) return -1;
  if (found != NULL) {
    *reply = found;
    begin_reply(own);
    return 0;
  }
  // A string that is announced is gathered before it is created.
  if (own->reader->len - own->reader->pos > own->byte_limit) {
    own->is_too_large = 1;
    return -1;
  }
  return 0;
}

const char *chiredis_reader_error(const chiredis_reader *own) {
  if (own->is_too_large) return "a reply is larger than what is taken";
  return own->reader->errstr;
}
