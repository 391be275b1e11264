// See websocket.h.
#include "websocket.h"

#include <string.h>

static size_t encode_header(unsigned char *out, uint8_t opcode, size_t length, uint8_t mask_bit) {
  out[0] = 0x80 | opcode;
  if (length < 126) {
    out[1] = mask_bit | (unsigned char)length;
    return 2;
  }
  int width = length <= UINT16_MAX ? 2 : 8;
  out[1] = mask_bit | (width == 2 ? 126 : 127);
  for (int i = 0; i < width; i++) out[2 + i] = (unsigned char)(length >> (8 * (width - 1 - i)));
  return 2 + (size_t)width;
}

size_t ws_encode_server(unsigned char *out, uint8_t opcode, const void *payload, size_t length) {
  size_t header = encode_header(out, opcode, length, 0);
  memcpy(out + header, payload, length);
  return header + length;
}

size_t ws_encode_client(unsigned char *out, uint8_t opcode, const void *payload, size_t length) {
  // A fixed key is enough here: it exists to make the server do the work of unmasking.
  static const unsigned char key[4] = {0x37, 0xfa, 0x21, 0x3d};
  size_t header = encode_header(out, opcode, length, 0x80);
  memcpy(out + header, key, 4);
  header += 4;
  for (size_t i = 0; i < length; i++)
    out[header + i] = ((const unsigned char *)payload)[i] ^ key[i & 3];
  return header + length;
}

long ws_decode(unsigned char *bytes, size_t count, size_t limit, bool masked,
               struct ws_frame *frame) {
  if (count < 2) return 0;
  bool is_whole = (bytes[0] & 0xb0) == 0x80;
  if (!is_whole || (bytes[1] >> 7) != masked) return -1;
  uint64_t length = bytes[1] & 0x7f;
  size_t header = 2;
  if (length >= 126) {
    size_t width = length == 126 ? 2 : 8;
    if (count < 2 + width) return 0;
    length = 0;
    for (size_t i = 0; i < width; i++) length = length << 8 | bytes[2 + i];
    header += width;
  }
  if (length > limit) return -1;
  size_t key = header;
  if (masked) header += 4;
  if (count < header + length) return 0;
  frame->opcode = bytes[0] & 0x0f;
  frame->is_compressed = bytes[0] & 0x40;
  frame->payload = bytes + header;
  frame->length = length;
  if (masked)
    for (size_t i = 0; i < length; i++) frame->payload[i] ^= bytes[key + (i & 3)];
  return (long)(header + length);
}
