// Swift Testing would start two thousand tests at once. On two cores each of them then takes a minute of real time, and
// the deadlines that some of them test pass by meanwhile. A width that is set from outside is kept.
#include <stdlib.h>

#include "settings.h"

__attribute__((constructor)) static void limit_tests_at_once(void) {
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "12", 0);
}
