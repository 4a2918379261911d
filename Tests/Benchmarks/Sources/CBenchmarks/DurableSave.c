#include "CBenchmarks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
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

static int save(const char *folder, int name, const void *content, size_t size) {
    char path[PATH_MAX], temporary[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/floor-%d", folder, name) >= (int)sizeof path) return -1;
    if (snprintf(temporary, sizeof temporary, "%s/floor-%d.tmp", folder, name) >= (int)sizeof temporary) return -1;

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
