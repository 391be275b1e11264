// RFC 6455 framing for the benchmark programs: only what they exchange, in whole messages.
#ifndef BENCHMARK_WEBSOCKET_H
#define BENCHMARK_WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WS_TEXT = 0x1, WS_CLOSE = 0x8, WS_PING = 0x9, WS_PONG = 0xA };

/// The most bytes that a frame header takes: two, an eight-byte length, a masking key.
enum { WS_HEADER_MAX = 14 };

struct ws_frame {
  uint8_t opcode;
  bool is_compressed;  // the bit of permessage-deflate (RFC 7692 §6)
  unsigned char *payload;
  size_t length;
};

/// Writes one unmasked frame (server to client) to `out`; returns its size.
size_t ws_encode_server(unsigned char *out, uint8_t opcode, const void *payload, size_t length);

/// Writes one masked frame (client to server) to `out`; returns its size.
size_t ws_encode_client(unsigned char *out, uint8_t opcode, const void *payload, size_t length);

/// Reads one frame, unmasking it in place. Returns its size, 0 when more bytes are needed, -1 when
/// it is no whole message of at most `limit` payload bytes, masked as `masked` says. Who negotiated
/// no compression refuses what is compressed.
long ws_decode(unsigned char *bytes, size_t count, size_t limit, bool masked,
               struct ws_frame *frame);

#endif
