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

/// A save whose promises hold when its writer dies, between its steps.
struct promise {
    char path[PATH_MAX], temporary[PATH_MAX], lockPath[PATH_MAX];
    const char *folder;
    const void *content;
    size_t size;
    int lock, file;
};

typedef int (*step)(struct promise *);

enum { margin = 16 << 10, largest = 64 << 10 };

static int lockAndRead(struct promise *promise) {
    char found[largest];
    promise->lock = open(promise->lockPath, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (promise->lock < 0 || flock(promise->lock, LOCK_EX | LOCK_NB)) return -1;
    return readAll(promise->path, found, sizeof found) < 0 ? -1 : 0;
}

static int reserve(struct promise *promise) {
    static const char zeros[largest];
    promise->file = open(promise->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (promise->file < 0) return -1;
    return writeAll(promise->file, zeros, promise->size + promise->size / 2 + margin);
}

static int noteSaveAndUnlock(struct promise *promise) {
    char note[160];
    memset(note, 'a', sizeof note);
    int failed = writeAll(promise->lock, note, sizeof note) || writeAll(promise->file, promise->content, promise->size)
        || ftruncate(promise->file, (off_t)promise->size)
        || replace(promise->file, promise->temporary, promise->path, promise->folder);
    return close(promise->file) | close(promise->lock) | failed;
}

static const step steps[] = {lockAndRead, reserve, noteSaveAndUnlock};
enum { stepCount = sizeof steps / sizeof *steps };

/// A thread that makes each step, while the one that asks for it waits.
struct helper {
    pthread_mutex_t mutex;
    pthread_cond_t asked, done;
    struct promise *promise;
    step step;
    int failed, isOver;
};

static void *help(void *context) {
    struct helper *helper = context;
    pthread_mutex_lock(&helper->mutex);
    while (1) {
        while (!helper->step && !helper->isOver) pthread_cond_wait(&helper->asked, &helper->mutex);
        if (helper->isOver) break;
        helper->failed = helper->step(helper->promise);
        helper->step = NULL;
        pthread_cond_signal(&helper->done);
    }
    pthread_mutex_unlock(&helper->mutex);
    return NULL;
}

static int askFor(step step, struct helper *helper) {
    pthread_mutex_lock(&helper->mutex);
    helper->step = step;
    pthread_cond_signal(&helper->asked);
    while (helper->step) pthread_cond_wait(&helper->done, &helper->mutex);
    int failed = helper->failed;
    pthread_mutex_unlock(&helper->mutex);
    return failed;
}

int BenchmarksPromisedSave(const char *folder, int hasHelper, int count, const void *content, size_t size) {
    if (size + size / 2 + margin > largest) return -1;
    struct promise promise = {.folder = folder, .content = content, .size = size};
    if (snprintf(promise.path, PATH_MAX, "%s/promised", folder) >= PATH_MAX) return -1;
    if (snprintf(promise.temporary, PATH_MAX, "%s/promised.tmp", folder) >= PATH_MAX) return -1;
    if (snprintf(promise.lockPath, PATH_MAX, "%s/promised.lock", folder) >= PATH_MAX) return -1;
    struct helper helper = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, &promise};
    pthread_t thread;
    if (hasHelper && pthread_create(&thread, NULL, help, &helper)) return -1;
    int failed = 0;
    for (int i = 0; i < count * stepCount && !failed; i++) {
        step step = steps[i % stepCount];
        failed = hasHelper ? askFor(step, &helper) : step(&promise);
    }
    if (hasHelper) {
        pthread_mutex_lock(&helper.mutex);
        helper.isOver = 1;
        pthread_cond_signal(&helper.asked);
        pthread_mutex_unlock(&helper.mutex);
        pthread_join(thread, NULL);
    }
    return failed ? -1 : 0;
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
