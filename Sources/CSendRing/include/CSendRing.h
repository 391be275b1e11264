#pragma once
#include <stdint.h>

// Many sends by one system call, through io_uring. What of liburing is needed, behind functions
// that Swift can import.

struct send_ring;

/// One send that never waits.
struct send_request {
    const void *bytes;
    int32_t descriptor;
    uint32_t length;
    /// Whatever tells the caller whose it is.
    uint32_t tag;
    /// Bytes taken, a negated errno, or SEND_NOT_TRIED.
    int32_t result;
};

/// The result of a request that the kernel was not handed.
static const int32_t SEND_NOT_TRIED = INT32_MIN;

/// Makes a ring for so many requests at once, a power of two. NULL where the kernel, or a policy
/// over this process, does not allow it. The calling thread alone may use it.
struct send_ring *send_ring_open(uint32_t capacity);

void send_ring_close(struct send_ring *ring);

/// Performs all requests, no more than the capacity, and fills in their results. When it returns, the
/// kernel reads none of the bytes any longer.
///
/// Returns 0, or a negated errno: then the ring is of no use any more, and requests may be untried.
int send_ring_perform(struct send_ring *ring, struct send_request *requests, uint32_t count);
