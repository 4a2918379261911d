#include "CBenchmarks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/// Writes from the beginning of a file.
static int writeAll(int file, const char *content, size_t size) {
    for (off_t place = 0; size > 0;) {
        ssize_t count = pwrite(file, content, size, place);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return -1;
        content += count;
        place += count;
        size -= (size_t)count;
    }
    return 0;
}

/// Brings a file to the disk, puts it in the place of another, and brings the folder to the disk.
static int replace(int file, const char *temporary, const char *path, const char *folder) {
    if (fsync(file) || rename(temporary, path)) return -1;
    int names = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (names < 0) return -1;
    int failed = fsync(names);
    return close(names) | failed;
}

static int save(const char *folder, int name, const void *content, size_t size) {
    char path[PATH_MAX], temporary[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/floor-%d", folder, name) >= (int)sizeof path) return -1;
    if (snprintf(temporary, sizeof temporary, "%s/floor-%d.tmp", folder, name) >= (int)sizeof temporary) return -1;

    int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return -1;
    int failed = writeAll(file, content, size) || replace(file, temporary, path, folder);
    return close(file) | failed;
}

/// Reads a whole file, as far as the room goes; a file that is missing has nothing.
static ssize_t readAll(const char *path, char *room, size_t size) {
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) return errno == ENOENT ? 0 : -1;
    struct stat status;
    ssize_t count = fstat(file, &status) ? -1 : read(file, room, size);
    return close(file) ? -1 : count;
}

int BenchmarksPromisedSave(const char *folder, int count, const void *content, size_t size) {
    enum { margin = 16 << 10, largest = 64 << 10 };
    static const char zeros[largest];
    char path[PATH_MAX], temporary[PATH_MAX], lockPath[PATH_MAX], found[largest], note[160];
    if (size + size / 2 + margin > largest) return -1;
    if (snprintf(path, sizeof path, "%s/promised", folder) >= (int)sizeof path) return -1;
    if (snprintf(temporary, sizeof temporary, "%s/promised.tmp", folder) >= (int)sizeof temporary) return -1;
    if (snprintf(lockPath, sizeof lockPath, "%s/promised.lock", folder) >= (int)sizeof lockPath) return -1;
    memset(note, 'a', sizeof note);
    for (int i = 0; i < count; i++) {
        int lock = open(lockPath, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB)) return -1;
        if (readAll(path, found, sizeof found) < 0) return -1;
        int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file < 0) return -1;
        int failed = writeAll(file, zeros, size + size / 2 + margin) || writeAll(lock, note, sizeof note)
            || writeAll(file, content, size) || ftruncate(file, (off_t)size) || replace(file, temporary, path, folder);
        if (close(file) || close(lock) || failed) return -1;
    }
    return 0;
}

int BenchmarksDurableCreation(const char *folder, int name, const void *content, size_t size) {
    return save(folder, name, content, size);
}

struct job {
    const char *folder;
    int name, count, failed;
    const void *content;
    size_t size;
};

static void *saveRepeatedly(void *context) {
    struct job *job = context;
    for (int i = 0; i < job->count && !job->failed; i++) {
        job->failed = save(job->folder, job->name, job->content, job->size);
    }
    return NULL;
}

int BenchmarksDurableSave(const char *folder, int threads, int count, const void *content, size_t size) {
    enum { maximumThreads = 64 };
    struct job jobs[maximumThreads];
    pthread_t running[maximumThreads];
    if (threads > maximumThreads) return -1;
    int started = 0, failed = 0;
    for (; started < threads && !failed; started++) {
        jobs[started] = (struct job){folder, started, count, 0, content, size};
        failed = pthread_create(&running[started], NULL, saveRepeatedly, &jobs[started]);
        if (failed) break;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(running[i], NULL);
        failed |= jobs[i].failed;
    }
    return failed ? -1 : 0;
}
