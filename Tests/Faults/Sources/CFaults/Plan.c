#include "Plan.h"

#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

struct FaultsPlan FaultsCurrentPlan;

static _Atomic uint64_t reached[FaultsPhaseCount];

void FaultsArm(struct FaultsPlan plan) {
    for (int phase = 0; phase < FaultsPhaseCount; phase++) reached[phase] = 0;
    FaultsCurrentPlan = plan;
}

uint64_t FaultsReachedAt(enum FaultsPhase phase) { return reached[phase]; }

void FaultsReach(enum FaultsPhase phase) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t never = 0;
    uint64_t nanoseconds = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    atomic_compare_exchange_strong(&reached[phase], &never, nanoseconds);
    if (FaultsCurrentPlan.killAt == phase) FaultsDie();
}

void FaultsDie(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}
