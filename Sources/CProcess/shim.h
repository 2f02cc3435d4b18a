#pragma once
#include <sys/prctl.h>

// Variadic in C, which Swift does not import.
static inline int latch_set_dumpable(int dumpable) { return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0); }
static inline int latch_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }
