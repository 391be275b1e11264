// Many WebSocket connections to one server on 127.0.0.1, driven by one epoll loop.
//
// Two dialects: `RAW` is any text broadcast to all others (bare-loop) or to all that have come to
// another path (the servers in Peers); `PARLEY` opens a session, creates and enters channels, and
// tells answers from events by scanning each frame for the method's name, without reading its JSON.
// Anything unexpected ends the program with an error.
#ifndef BENCHMARK_CONNECTIONS_H
#define BENCHMARK_CONNECTIONS_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dialect { RAW, PARLEY };

struct load;

struct connection {
  SSL *ssl;             // NULL without TLS
  unsigned char *rest;  // the beginning of a frame whose end has not come
  uint32_t rest_size;
  int fd;
  uint32_t received;  // texts delivered: broadcasts, or `message.received` events
  uint32_t answered;  // answers to requests made after the connection was ready
  uint16_t setup_answers_due;
  uint8_t state;
};

/// The steps of a session that hears its groups.
enum setup_step { SESSION_ASKED, SESSION_OPENED, GROUPS_READY };

/// What a measurement wants to be told; each may be NULL.
typedef void frame_handler(struct load *load, unsigned index);
/// `event` is the whole JSON text, `size` bytes of it.
typedef void event_handler(struct load *load, unsigned index, const char *event, size_t size);

typedef void setup_handler(struct load *load, unsigned index, enum setup_step step);

struct load {
  enum dialect dialect;
  uint16_t ports[8];    // of servers that serve the same channels
  unsigned port_count;  // the participants of each channel are spread over them
  unsigned channels;  // connection i uses channel i % channels; 0: no channel is entered
  unsigned creators;  // the connections before this one create their channel
  bool groups;        // channels are groups that exist: their members hear them without entering
  unsigned first_user, users;  // connection i is the user bench-(first_user + i % users); 0: no limit
  const char *channel_prefix;  // of channel URLs, before their number; NULL: "bench"
  bool deflates;               // permessage-deflate is offered, and what comes is inflated
  bool ephemeral;     // channels that are created keep no messages
  const char *path;   // that is upgraded
  const char *publisher_path;  // the same for connection 0, to which nothing is then broadcast
  SSL_CTX *tls;       // NULL: plain
  int64_t deadline_ns;

  frame_handler *on_delivery;
  frame_handler *on_answer;
  setup_handler *on_setup;
  frame_handler *on_notice;    // `group.read`
  event_handler *on_update;    // `message.updated`
  event_handler *on_presence;  // an event that tells the number of participants
  void *measurement;

  struct connection *connections;
  unsigned opened, ready;
  uint64_t bytes_read;  // of WebSocket frames, TLS taken away
  int poller;
};

/// Ends the program with an error of this text.
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// "raw" or "parley".
const char *load_dialect_name(const struct load *load);

/// Prepares for at most `capacity` connections, raising the descriptor limit as far as allowed.
void load_start(struct load *load, unsigned capacity);

/// Opens connections until there are `count`, and waits until all of them are ready. Creators come
/// first, so that all others find their channel.
void load_open(struct load *load, unsigned count);

/// Resets each connection that is ready and begins another in its place. Returns how many.
unsigned load_replace_ready(struct load *load);

/// Begins connections until there are `count`, without waiting until they are ready.
void load_begin(struct load *load, unsigned count);

/// Runs one turn of the loop, waiting at most `timeout_ms`. Fails when the deadline has passed.
void load_turn(struct load *load, int timeout_ms);

/// Runs one turn of the loop, waiting at most until this time on the monotonic clock.
void load_turn_until(struct load *load, int64_t until_ns);

/// Reads and answers pings for this long, sending nothing of its own.
void load_rest(struct load *load, int duration_ms);

/// Sends `count` messages of `bytes` characters each, in one write.
void load_send(struct load *load, unsigned index, unsigned count, unsigned bytes);

/// Sends a request with this method and these parameters: members of a JSON object.
void load_request(struct load *load, unsigned index, const char *members);

/// Sends one message with this text, which must need no escaping in JSON.
void load_send_text(struct load *load, unsigned index, const char *text);

/// Frees everything and resets the connections, so that no port is left waiting.
void load_finish(struct load *load);

#endif
