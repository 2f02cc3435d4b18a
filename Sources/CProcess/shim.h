#pragma once
#include <malloc.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

// Variadic in C, which Swift does not import.
static inline int latch_set_dumpable(int dumpable) { return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0); }
static inline int latch_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

// glibc's constants are macros with signs, which Swift does not import. 1 for done; other C libraries have no such thing.
static inline int latch_keep_heap_small(int arenas, int large, int trim) {
#ifdef M_ARENA_MAX
    return mallopt(M_ARENA_MAX, arenas) & mallopt(M_MMAP_THRESHOLD, large) & mallopt(M_TRIM_THRESHOLD, trim);
#else
    return 0;
#endif
}

// renameat2(2) with RENAME_NOREPLACE. ENOSYS where the system has none.
static inline int latch_rename_new(const char *from, const char *to) {
#ifdef SYS_renameat2
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
#else
    errno = ENOSYS;
    return -1;
#endif
}

// Extended attributes; the C library's module does not show them to Swift.
static inline int latch_set_attribute(int file, const char *name, const void *value, size_t size) {
    return fsetxattr(file, name, value, size, 0);
}
static inline ssize_t latch_attribute(const char *path, const char *name, void *value, size_t size) {
    return lgetxattr(path, name, value, size);
}

// Starts writing a file's bytes to disk without waiting: sync_file_range(2) with SYNC_FILE_RANGE_WRITE. No effect on
// systems without it, or with another order of its arguments.
static inline void latch_begin_flush(int file) {
#if defined(SYS_sync_file_range) && __SIZEOF_LONG__ == 8
    (void)syscall(SYS_sync_file_range, file, 0L, 0L, SYNC_FILE_RANGE_WRITE);
#endif
}

// The file mode creation mask, from proc_pid_status(5); -1 if unknown. umask(2) can read it only by changing it, which
// would affect other threads.
static inline int latch_file_mask(void) {
    char text[512];
    int mask = -1, file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0) return mask;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return mask;
    text[count] = 0;
    const char *line = strstr(text, "\nUmask:");
    if (line) mask = (int)strtol(line + strlen("\nUmask:"), NULL, 8);
    return mask;
}

#ifdef __linux__
#include <sys/timerfd.h>
#include <time.h>

// timerfd_create(2); the C library's module does not show it to Swift.
static inline int latch_wall_clock_timer(void) { return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC); }

// Arms the timer for a time by the system's clock; setting the clock ends the wait as well.
static inline void latch_wait_until(int timer, time_t seconds, long nanoseconds) {
    struct itimerspec time = {.it_value = {seconds, nanoseconds}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &time, NULL);
}

// Lets the timer expire at once.
static inline void latch_expire(int timer) {
    struct itimerspec time = {.it_value = {0, 1}};
    timerfd_settime(timer, 0, &time, NULL);
}
#endif
