#pragma once

// The version of the build, which Scripts/version writes into linked programs.

/// The version of this software: number and build, such as 0.1.0+20260131.2359.g1a2b3c4d5.
const char *crelease_version(void);
