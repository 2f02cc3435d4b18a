// Linked by scripts/sanitize into everything that runs under the thread sanitizer.
//
// It tells the sanitizer what the slow paths of Swift's Mutex do. They lie in libswiftSynchronization, which is not
// instrumented, while the fast paths are compiled into our own code, where the sanitizer sees them: without this, every
// contended lock would look like a race.
//
// Source: Swift's Synchronization/Mutex/LinuxImpl.swift; sanitizer/tsan_interface.h; dlsym(3) on RTLD_NEXT.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

const char *__tsan_default_options(void) { return OPTIONS; }

// The standard library writes a count of 0 into the empty array that the whole process shares. Nobody writes anything else
// there, and reports about this one variable alone are left out.
const char *__tsan_default_suppressions(void) { return "race:^_swiftEmptyArrayStorage$\n"; }

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

void __tsan_acquire(void *address);
void __tsan_release(void *address);

SWIFT void latch_lock_slow(uint32_t thread, SELF) __asm__(LOCK_SLOW);
SWIFT bool latch_try_lock_slow(SELF) __asm__(TRY_LOCK_SLOW);
SWIFT void latch_unlock_slow(SELF) __asm__(UNLOCK_SLOW);

static void *next(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) __builtin_trap();
    return function;
}

SWIFT void latch_lock_slow(uint32_t thread, SELF) {
    ((SWIFT void (*)(uint32_t, SELF))next(LOCK_SLOW))(thread, self);
    __tsan_acquire(self);
}

SWIFT bool latch_try_lock_slow(SELF) {
    bool is_locked = ((SWIFT bool (*)(SELF))next(TRY_LOCK_SLOW))(self);
    if (is_locked) __tsan_acquire(self);
    return is_locked;
}

SWIFT void latch_unlock_slow(SELF) {
    __tsan_release(self);
    ((SWIFT void (*)(SELF))next(UNLOCK_SLOW))(self);
}
