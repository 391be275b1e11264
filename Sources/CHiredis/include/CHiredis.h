#pragma once
#include <hiredis/hiredis.h>
#include <stddef.h>

// hiredis' reader and formatter of Redis' protocol, bounded: its own reader allocates whatever a
// server announces.

typedef struct chiredis_reader chiredis_reader;

/// Makes a reader that refuses a reply of more than `byte_limit` bytes or `element_limit` elements;
/// NULL when memory is out.
chiredis_reader *chiredis_reader_create(size_t byte_limit, size_t element_limit);
void chiredis_reader_free(chiredis_reader *reader);

/// Appends bytes of the server.
///
/// Take all replies before the next call. Returns 0, or -1 when the reader has failed.
int chiredis_reader_feed(chiredis_reader *reader, const char *bytes, size_t count);

/// Takes the next whole reply, or NULL when more bytes are needed; freed by `freeReplyObject`.
///
/// Returns 0, or -1 when the reader has failed.
int chiredis_reader_next(chiredis_reader *reader, redisReply **reply);

/// The reason for a failure.
const char *chiredis_reader_error(const chiredis_reader *reader);
