#include "CBenchmarks.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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

/// Starts a program with descriptors for its input and its output; -1 takes none, so that nothing comes, and all is discarded,
/// errors too.
static pid_t start(char *const arguments[], int input, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    if (posix_spawnattr_init(&attributes) != 0) return posix_spawn_file_actions_destroy(&actions), -1;
    // The threads of Swift's pool block signals, among them the alarm that ends a run of openssl speed.
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int descriptors[] = {input, output};
    for (int target = 0; target < 2; target++) {
        if (descriptors[target] >= 0) {
            posix_spawn_file_actions_adddup2(&actions, descriptors[target], target);
        } else {
            posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0);
        }
    }
    if (output < 0) posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_RDWR, 0);
    pid_t process;
    int failed = posix_spawnp(&process, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed ? -1 : process;
}

int BenchmarksWait(pid_t process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

double BenchmarksRun(char *const arguments[]) {
    double begin = nanoseconds();
    pid_t process = start(arguments, -1, -1);
    if (process < 0 || BenchmarksWait(process) != 0) return -1;
    return nanoseconds() - begin;
}

/// Makes a pipe that no other child inherits.
static int makePipe(int ends[2]) {
    if (pipe(ends) != 0) return -1;
    for (int end = 0; end < 2; end++) fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    return 0;
}

pid_t BenchmarksStart(char *const arguments[], int *input, int *output) {
    int toChild[2], fromChild[2];
    if (makePipe(toChild) != 0) return -1;
    if (makePipe(fromChild) != 0) return close(toChild[0]), close(toChild[1]), -1;
    pid_t process = start(arguments, toChild[0], fromChild[1]);
    close(toChild[0]);
    close(fromChild[1]);
    *input = toChild[1];
    *output = fromChild[0];
    if (process < 0) close(*input), close(*output);
    return process;
}
