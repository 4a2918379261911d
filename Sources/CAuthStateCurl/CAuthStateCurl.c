#include "CAuthStateCurl.h"
