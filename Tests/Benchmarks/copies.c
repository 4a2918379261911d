// Counts the bytes that a program copies in pieces of at least a kilobyte, and tells them at SIGUSR1. For LD_PRELOAD.
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

static atomic_long bytes;

static void *copy(void *to, const void *from, size_t count) {
    unsigned char *target = to;
    const unsigned char *source = from;
    if (count >= 1024) atomic_fetch_add(&bytes, (long)count);
    if (target <= source || target >= source + count) {
        while (count--) *target++ = *source++;
    } else {
        while (count--) target[count] = source[count];
    }
    return to;
}

void *memcpy(void *to, const void *from, size_t count) { return copy(to, from, count); }
void *memmove(void *to, const void *from, size_t count) { return copy(to, from, count); }
void *__memcpy_chk(void *to, const void *from, size_t count, size_t size) { return copy(to, from, size < count ? size : count); }
void *__memmove_chk(void *to, const void *from, size_t count, size_t size) { return copy(to, from, size < count ? size : count); }

static void tell(int number) {
    (void)number;
    dprintf(2, "%ld\n", atomic_exchange(&bytes, 0));
}

__attribute__((constructor)) static void listen(void) { signal(SIGUSR1, tell); }
