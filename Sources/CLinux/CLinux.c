#define _GNU_SOURCE
#include "CLinux.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

int clinux_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

uint64_t clinux_thread_id(void) {
    return (uint64_t)pthread_self();
}

void clinux_name_thread(const char *name) {
    char bounded[16];
    strncpy(bounded, name, sizeof bounded - 1);
    bounded[sizeof bounded - 1] = '\0';
    pthread_setname_np(pthread_self(), bounded);
}
