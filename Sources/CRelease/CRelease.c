#include "CRelease.h"

// A release build replaces the content of this section when it is linked, so that no commit compiles
// anything again. The size leaves room for the commit.
__attribute__((section(".parley.version"), used)) static const char version[64] = "0.1.0-dev";

const char *crelease_version(void) { return version; }
