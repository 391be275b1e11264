#include "COpenSSL.h"

// The shims of Macros.h are inline; this file gives the target's umbrella header a home.
