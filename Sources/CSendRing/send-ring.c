#define _GNU_SOURCE
#include "CSendRing.h"

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <sys/socket.h>

struct send_ring {
    struct io_uring ring;
};

struct send_ring *send_ring_open(uint32_t capacity) {
    struct send_ring *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    // The second is what kernels before 6.1 know.
    const unsigned flags[] = {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, 0};
    for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++) {
        struct io_uring_params params = {.flags = flags[i]};
        int status = io_uring_queue_init_params(capacity, &made->ring, &params);
        if (status == 0) return made;
        if (status != -EINVAL) break;
    }
    free(made);
    return NULL;
}

void send_ring_close(struct send_ring *ring) {
    io_uring_queue_exit(&ring->ring);
    free(ring);
}

static unsigned take_results(struct send_ring *ring, struct send_request *requests) {
    struct io_uring_cqe *completion;
    unsigned head, taken = 0;
    io_uring_for_each_cqe(&ring->ring, head, completion) {
        requests[io_uring_cqe_get_data64(completion)].result = completion->res;
        taken++;
    }
    io_uring_cq_advance(&ring->ring, taken);
    return taken;
}

int send_ring_perform(struct send_ring *ring, struct send_request *requests, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) requests[i].result = SEND_NOT_TRIED;
    for (uint32_t i = 0; i < count; i++) {
        struct send_request *request = &requests[i];
        struct io_uring_sqe *entry = io_uring_get_sqe(&ring->ring);
        if (!entry) return -EBUSY;
        // MSG_DONTWAIT: the kernel answers EAGAIN at once in place of keeping the bytes for later.
        io_uring_prep_send(entry, request->descriptor, request->bytes, request->length,
                           MSG_NOSIGNAL | MSG_DONTWAIT);
        io_uring_sqe_set_data64(entry, i);
    }
    uint32_t submitted = 0, taken = 0;
    while (taken < count) {
        // All that was submitted is waited for, also when the rest can't be.
        int status = io_uring_submit_and_wait(&ring->ring, count - taken);
        taken += take_results(ring, requests);
        if (status >= 0) {
            submitted += (uint32_t)status;
        } else if (status != -EINTR && submitted <= taken) {
            return status;
        }
    }
    return 0;
}
