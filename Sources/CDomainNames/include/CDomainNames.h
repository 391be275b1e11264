#pragma once
#include <stddef.h>

/// Whether `name` (lower case, ASCII or UTF-8) is a public suffix that ICANN delegates.
int parley_is_public_suffix(const char *name);

/// The registrable domain of `name`, a pointer into `name`; NULL when it has none.
const char *parley_registrable_domain(const char *name);

/// Writes the ASCII form (UTS 46, non-transitional) of the UTF-8 host `name` into `output`.
///
/// Returns its length, or -1 when `name` is not a valid name or does not fit.
ptrdiff_t parley_host_to_ascii(const char *name, char *output, size_t capacity);
