#ifndef CFAULTS_H
#define CFAULTS_H

#include <stdint.h>

// The moments of a renewal that a process can be killed at, in order.
enum FaultsPhase {
    FaultsPhaseNone,
    FaultsPhaseBeforeSend,  // before the first byte goes to the provider
    FaultsPhaseSent,        // the request has left
    FaultsPhaseReceived,    // the answer has been read
    FaultsPhaseFilled,      // the temporary file has its content, and is not on the disk
    FaultsPhaseWritten,     // it is on the disk, and not renamed
    FaultsPhaseRenamed,     // renamed, and the folder not yet on the disk
    FaultsPhaseCount,
};

// System calls on the store's temporary files, or on a database's log, that can be made to fail.
enum FaultsCall {
    FaultsCallNone = 0,
    FaultsCallCreate = 1,       // open with O_CREAT
    FaultsCallAllocate = 2,     // posix_fallocate
    FaultsCallWrite = 4,        // pwrite
    FaultsCallSynchronize = 8,  // fsync, fdatasync
};

struct FaultsPlan {
    enum FaultsPhase killAt;
    int port;              // the provider's
    int failingCalls;      // of FaultsCall
    int errorNumber;       // that they fail with
    int failures;          // how many of them fail; afterwards they work
    int lockIsAlwaysFree;  // flock does nothing and succeeds
    int renamesInPlace;    // rename copies over the old file instead of replacing it
    int neverSynchronizes; // fsync and fdatasync do nothing and succeed
    int killAtCall;        // the call on the files of a database that the process dies before; 0 is none
};

// Says what shall go wrong in this process from now on; to be called while no call of it is in progress.
void FaultsArm(struct FaultsPlan plan);

// The time at which a phase was first reached since then, in nanoseconds of the monotonic clock; 0 when it was not.
uint64_t FaultsReachedAt(enum FaultsPhase phase);

// The number of renames that a power failure could have undone, or left without content: fsync of the file did not come
// before them, or fsync of the folder not after them.
int FaultsUndurableRenames(void);

// The number of calls on the files of a database so far, each of which the process can be killed before.
int FaultsDatabaseCalls(void);

// Whether a database's log has content that a power failure could undo.
int FaultsLogIsOwed(void);

#endif
