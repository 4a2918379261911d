// Swift Testing would start two thousand tests at once. On two cores each of them then takes a minute of real time, and
// the deadlines that some of them test pass by meanwhile. A width that is set from outside is kept.
//
// A variable that is set for the first time may move the environment, which other threads read: those that tests set are there
// before the first thread, see TestVariable.
#include <stdio.h>
#include <stdlib.h>

#include "settings.h"

__attribute__((constructor)) static void prepare_environment(void) {
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "12", 0);
    for (int number = 1; number <= 16; number++) {
        char name[32];
        snprintf(name, sizeof name, "AUTHSTATE_TEST_%d", number);
        setenv(name, "", 0);
    }
}
