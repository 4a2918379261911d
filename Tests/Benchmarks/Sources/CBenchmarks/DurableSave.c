#include "CBenchmarks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static int writeAll(int file, const char *content, size_t size) {
    while (size > 0) {
        ssize_t count = write(file, content, size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return -1;
        content += count;
        size -= (size_t)count;
    }
    return 0;
}

int BenchmarksDurableSave(const char *folder, const void *content, size_t size) {
    char path[PATH_MAX], temporary[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/floor", folder) >= (int)sizeof path) return -1;
    if (snprintf(temporary, sizeof temporary, "%s/floor.tmp", folder) >= (int)sizeof temporary) return -1;

    int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return -1;
    int failed = writeAll(file, content, size) || fsync(file);
    failed |= close(file);
    if (failed || rename(temporary, path)) return -1;

    int names = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (names < 0) return -1;
    failed = fsync(names);
    return close(names) | failed;
}
