#if defined(__linux__)

#define _GNU_SOURCE
#include "Plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// Whether the temporary file is on the disk as it is, whether a rename is not yet, and how many renames were too early.
static atomic_int contentIsOnDisk, folderIsOwed, undurable;

int FaultsUndurableRenames(void) { return undurable + folderIsOwed; }

static int isTemporary(const char *path) {
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".tmp") == 0;
}

static int pathOf(int file, char path[4096]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, 4095);
    path[length < 0 ? 0 : length] = 0;
    return length > 0;
}

static int isTemporaryFile(int file) {
    char path[4096];
    return pathOf(file, path) && isTemporary(path);
}

// Calls on a database's files, and whether its log is on the disk as it is.
static atomic_int databaseCalls, logIsOwed;

int FaultsDatabaseCalls(void) { return databaseCalls; }

int FaultsLogIsOwed(void) { return logIsOwed; }

// Counts a call on the database, its log, its shared memory or its locks, and ends the process when it shall die there.
static void reachCallOn(const char *path) {
    const char *name = strrchr(path, '/');
    if (name == NULL || strncmp(name, "/states.db", 10) != 0) return;
    if (++databaseCalls == FaultsCurrentPlan.killAtCall) FaultsDie();
}

static void reachCall(int file) {
    char path[4096];
    if (pathOf(file, path)) reachCallOn(path);
}

static int isLog(int file) {
    char path[4096];
    size_t length = pathOf(file, path) ? strlen(path) : 0;
    return length > 4 && strcmp(path + length - 4, "-wal") == 0;
}

// Whether this call is one that shall fail.
static int fails(enum FaultsCall call, int isOurs) {
    if (!(FaultsCurrentPlan.failingCalls & call) || !isOurs || FaultsCurrentPlan.failures == 0) return 0;
    FaultsCurrentPlan.failures--;
    errno = FaultsCurrentPlan.errorNumber;
    return 1;
}

int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    if (flags & O_CREAT && fails(FaultsCallCreate, isTemporary(path))) return -1;
    reachCallOn(path);
    return FAULTS_NEXT(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    reachCallOn(path);
    return FAULTS_NEXT(open64)(path, flags, mode);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    reachCall(file);
    int ofLog = isLog(file);
    if (fails(FaultsCallWrite, ofLog)) return -1;
    if (ofLog) logIsOwed = 1;
    return FAULTS_NEXT(pwrite64)(file, bytes, count, offset);
}

int fdatasync(int file) {
    reachCall(file);
    int ofLog = isLog(file);
    // Not of a reservation, after which nothing is sent.
    if (fails(FaultsCallSynchronize, ofLog && FaultsReachedAt(FaultsPhaseReceived) != 0)) return -1;
    if (FaultsCurrentPlan.neverSynchronizes) return 0;
    int result = FAULTS_NEXT(fdatasync)(file);
    if (result == 0 && ofLog) logIsOwed = 0;
    return result;
}

int ftruncate64(int file, off64_t size) {
    reachCall(file);
    return FAULTS_NEXT(ftruncate64)(file, size);
}

// Both take a number, an address, or nothing, which all travel in one register.
int fcntl64(int file, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    reachCall(file);
    return FAULTS_NEXT(fcntl64)(file, command, argument);
}

int fcntl(int file, int command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    reachCall(file);
    if (command == F_OFD_SETLK && FaultsCurrentPlan.lockIsAlwaysFree) return 0;
    return FAULTS_NEXT(fcntl)(file, command, argument);
}

int posix_fallocate(int file, off_t offset, off_t length) {
    if (fails(FaultsCallAllocate, isTemporaryFile(file))) return errno;
    return FAULTS_NEXT(posix_fallocate)(file, offset, length);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    reachCall(file);
    int isOurs = isTemporaryFile(file);
    if (fails(FaultsCallWrite, isOurs)) return -1;
    if (isOurs) contentIsOnDisk = 0;
    return FAULTS_NEXT(pwrite)(file, bytes, count, offset);
}

int fsync(int file) {
    reachCall(file);
    int isOurs = isTemporaryFile(file);
    if (isOurs) FaultsReach(FaultsPhaseFilled);
    if (fails(FaultsCallSynchronize, isOurs)) return -1;
    if (FaultsCurrentPlan.neverSynchronizes) return 0;
    int result = FAULTS_NEXT(fsync)(file);
    struct stat status;
    if (result == 0 && isOurs) contentIsOnDisk = 1;
    if (result == 0 && fstat(file, &status) == 0 && S_ISDIR(status.st_mode)) folderIsOwed = 0;
    return result;
}

int flock(int file, int operation) {
    return FaultsCurrentPlan.lockIsAlwaysFree ? 0 : FAULTS_NEXT(flock)(file, operation);
}

// Replaces a file as a program without an atomic replacement does: empties the old file, then writes the new content
// into it, in two parts.
static int copyOver(const char *from, const char *to) {
    char content[1 << 16];
    int source = FAULTS_NEXT(open)(from, O_RDONLY | O_CLOEXEC);
    int destination = FAULTS_NEXT(open)(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t count = source < 0 ? -1 : read(source, content, sizeof content);
    int isDone = destination >= 0 && count >= 0 && write(destination, content, (size_t)count / 2) == count / 2;
    if (isDone) FaultsReach(FaultsPhaseRenamed);
    isDone = isDone && write(destination, content + count / 2, (size_t)(count - count / 2)) == count - count / 2;
    if (source >= 0) close(source);
    if (destination >= 0) close(destination);
    return isDone ? unlink(from) : -1;
}

int rename(const char *from, const char *to) {
    if (!isTemporary(from)) return FAULTS_NEXT(rename)(from, to);
    if (!contentIsOnDisk || folderIsOwed) undurable++;
    folderIsOwed = 1;
    FaultsReach(FaultsPhaseWritten);
    if (FaultsCurrentPlan.renamesInPlace) return copyOver(from, to);
    int result = FAULTS_NEXT(rename)(from, to);
    if (result == 0) FaultsReach(FaultsPhaseRenamed);
    return result;
}

#endif
