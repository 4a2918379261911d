#ifndef C_BENCHMARKS_H
#define C_BENCHMARKS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The number of memory blocks that this process has asked malloc and its kin for. On Linux with glibc; elsewhere
/// always 0.
uint64_t BenchmarksAllocations(void);

/// Whether allocations are counted on this platform.
int BenchmarksCountsAllocations(void);

/// Answers every HTTP request on a free loopback port with 200 and a body, over connections that are kept.
///
/// Writes the port's number and a line feed to standard output, and returns when standard input ends. One thread, so that
/// it takes from every client alike. Linux only; elsewhere it returns at once.
void BenchmarksServe(const void *body, size_t size);

/// The least that a durable save takes: a file of its own is written, brought to the disk and renamed, then its folder is
/// brought to the disk. Each of the threads does so the given number of times, with a name of its own.
///
/// Returns 0, or −1 when a save failed.
int BenchmarksDurableSave(const char *folder, int threads, int count, const void *content, size_t size);

/// The steps of a save whose promises hold when the writer dies, one save after the other: a lock is taken, the old content
/// is read; space is written ahead; a note is written into the lock's file, the content is saved durably, the lock is released.
/// With a helper each of these three steps is made by another thread than the one that waits for it.
///
/// Returns 0, or −1 when a save failed.
int BenchmarksPromisedSave(const char *folder, int hasHelper, int count, const void *content, size_t size);

/// One durable save, with a name that must be new in the folder.
int BenchmarksDurableCreation(const char *folder, int name, const void *content, size_t size);

/// Runs a program to its end, without input and output. The arguments begin with its name, which PATH leads to, and end
/// with NULL.
///
/// Returns the nanoseconds between the start and the end; −1 when it cannot be started, or fails.
double BenchmarksRun(char *const arguments[]);

/// Starts a program whose input is what is written to the first descriptor, and whose output is what is read from the second.
///
/// Returns the process, which `BenchmarksWait` has to wait for; −1 when it cannot be started. Foundation's Process waits for ever
/// at times, and for the children of a child that has ended.
pid_t BenchmarksStart(char *const arguments[], int *input, int *output);

/// Waits for the end of a process, and returns the number that it ends with; −1 when a signal ended it.
int BenchmarksWait(pid_t process);

#endif
