#include "CBenchmarks.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

double BenchmarksRun(char *const arguments[]) {
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    for (int descriptor = 0; descriptor < 3; descriptor++) {
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
    }
    pid_t process;
    double start = nanoseconds();
    int failed = posix_spawnp(&process, arguments[0], &actions, NULL, arguments, environ);
    int status = 0;
    while (!failed && waitpid(process, &status, 0) < 0) failed = errno != EINTR;
    double elapsed = nanoseconds() - start;
    posix_spawn_file_actions_destroy(&actions);
    return failed || !WIFEXITED(status) || WEXITSTATUS(status) != 0 ? -1 : elapsed;
}
