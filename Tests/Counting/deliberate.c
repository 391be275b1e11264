// Does an exactly known number of things between two marks, to see that they are counted right.
//
//   deliberate ITERATIONS CALLS
//
// Between the first mark and the second: 1000 malloc, 10 calloc, 20 realloc of what there is, 30
// posix_memalign, 5 aligned_alloc, and a free for each of those blocks; 64 bytes in one block stay;
// CALLS system calls; ITERATIONS turns of a loop.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Of the interposer, which must be preloaded.
extern void set_mark(void) __attribute__((weak));

static void *volatile block;

static void allocate(void) {
  for (int i = 0; i < 1000; i++) {
    block = malloc(100);
    free(block);
  }
  for (int i = 0; i < 10; i++) {
    block = calloc(10, 10);
    for (int j = 1; j <= 2; j++) block = realloc(block, 100u + 4096u * (unsigned)j);
    free(block);
  }
  for (int i = 0; i < 30; i++) {
    void *aligned;
    if (posix_memalign(&aligned, 64, 256) != 0) exit(1);
    block = aligned;
    free(block);
  }
  for (int i = 0; i < 5; i++) {
    block = aligned_alloc(32, 64);
    free(block);
  }
  block = malloc(64);
}

int main(int count, char **words) {
  if (count != 3 || !set_mark) return 2;
  long iterations = atol(words[1]), calls = atol(words[2]);
  set_mark();
  allocate();
  for (long i = 0; i < calls; i++) syscall(SYS_getppid);
  for (volatile long i = 0; i < iterations; i++) continue;
  set_mark();
  free(block);
  return 0;
}
