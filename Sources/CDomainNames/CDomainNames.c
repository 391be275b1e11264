#include "CDomainNames.h"

#include <idn2.h>
#include <libpsl.h>
#include <string.h>

int parley_is_public_suffix(const char *name) {
  return psl_is_public_suffix2(psl_builtin(), name, PSL_TYPE_ICANN | PSL_TYPE_NO_STAR_RULE);
}

const char *parley_registrable_domain(const char *name) {
  return psl_registrable_domain(psl_builtin(), name);
}

ptrdiff_t parley_host_to_ascii(const char *name, char *output, size_t capacity) {
  uint8_t *ascii = NULL;
  int result = idn2_lookup_u8((const uint8_t *)name, &ascii,
                              IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
  /* Registered names with emoji are older than IDNA 2008, which has no place for them; browsers
     take them by UTS 46, of which this is the mode that admits them. */
  if (result == IDN2_DISALLOWED) {
    result = idn2_lookup_u8((const uint8_t *)name, &ascii, IDN2_NFC_INPUT | IDN2_TRANSITIONAL);
  }
  if (result != IDN2_OK || ascii == NULL) return -1;
  size_t length = strlen((const char *)ascii);
  if (length < capacity) memcpy(output, ascii, length + 1);
  idn2_free(ascii);
  return length < capacity ? (ptrdiff_t)length : -1;
}
