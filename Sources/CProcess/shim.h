#pragma once
#include <malloc.h>
#include <sys/prctl.h>

// Variadic in C, which Swift does not import.
static inline int latch_set_dumpable(int dumpable) { return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0); }
static inline int latch_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

// glibc's constants are macros with signs, which Swift does not import. 1 for done; other C libraries have no such thing.
static inline int latch_keep_heap_small(int arenas, int large) {
#ifdef M_ARENA_MAX
    return mallopt(M_ARENA_MAX, arenas) & mallopt(M_MMAP_THRESHOLD, large) & mallopt(M_TRIM_THRESHOLD, large);
#else
    return 0;
#endif
}
