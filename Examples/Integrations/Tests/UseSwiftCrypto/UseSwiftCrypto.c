#include "UseSwiftCrypto.h"

// Before the first test: which one that is, depends on the runner.
__attribute__((constructor)) static void chooseBackend(void) { AuthStateUseSwiftCrypto(); }
