#include "CAuthStateCrypto.h"
