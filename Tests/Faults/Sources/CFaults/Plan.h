#ifndef CFAULTS_PLAN_H
#define CFAULTS_PLAN_H

#include "CFaults.h"

#include <dlfcn.h>

// The program's own functions come before the C library's, for the libraries that it loads too; this finds the latter.
#define FAULTS_NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

extern struct FaultsPlan FaultsCurrentPlan;

// Notes that a phase has been reached, and ends the process when it shall die there.
void FaultsReach(enum FaultsPhase phase);

// Ends the process as kill -9 does.
void FaultsDie(void);

#endif
