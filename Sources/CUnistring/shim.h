#pragma once
#include <uninorm.h>
#include <stdlib.h>

// A macro over the address of a constant, which Swift does not import.
static inline uninorm_t latch_nfkc(void) { return UNINORM_NFKC; }
