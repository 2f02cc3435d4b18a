// Kills a program before the n-th change that it makes: a library for LD_PRELOAD.
//
// A change is a call that changes a file in a folder, a request that changes something on a server, and the arrival of its
// response. The number counts the calls of all threads, so the program itself defines the moment.
//
// Source: ld.so(8), LD_PRELOAD; dlsym(3), RTLD_NEXT.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// What the test and the library share, in a file that both map.
static struct {
    // The number of the change before which the program ends. 0: changes are not counted.
    int limit;
    // The number of changes so far.
    int count;
} *control;

static const char *folder;
// Files below them are not counted: the log, the size of the window, and caches, which are filled at any time.
static const char *state, *cache;
enum { CONNECTIONS = 1024 };

static int trace = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
// The sockets whose last counted request has no response yet.
static bool is_awaited[CONNECTIONS];

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("KILL_POINTS_CONTROL");
    folder = getenv("KILL_POINTS_FOLDER");
    state = getenv("XDG_STATE_HOME");
    cache = getenv("XDG_CACHE_HOME");
    // The programs that this one starts are not killed.
    unsetenv("LD_PRELOAD");
    if (!path || !folder || !state || !cache) return;
    int file = open(path, O_RDWR | O_CLOEXEC);
    void *shared = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    trace = open(getenv("KILL_POINTS_TRACE"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (shared == MAP_FAILED || trace < 0) abort();
    control = shared;
}

// Counts a change, and ends the program before the one that the control names.
static void change(const char *call, const char *name) {
    pthread_mutex_lock(&mutex);
    int limit = __atomic_load_n(&control->limit, __ATOMIC_SEQ_CST);
    if (limit) {
        int count = ++control->count;
        char line[PATH_MAX + 64];
        int length = snprintf(line, sizeof line, "%s %s\n", call, name);
        syscall(SYS_write, trace, line, (size_t)length);
        if (count == limit) {
            kill(getpid(), SIGKILL);
            for (;;) pause();
        }
    }
    pthread_mutex_unlock(&mutex);
}

static bool is_armed(void) { return control && __atomic_load_n(&control->limit, __ATOMIC_SEQ_CST); }

static bool is_below(const char *path, const char *parent) {
    size_t length = strlen(parent);
    return strncmp(path, parent, length) == 0 && (path[length] == '/' || path[length] == 0);
}

// Counts a change of a file with an absolute path, if it is in the folder.
static void change_path(const char *call, const char *path) {
    size_t length = strlen(folder);
    if (!is_below(path, folder) || !path[length] || is_below(path, state) || is_below(path, cache)) return;
    change(call, path + length + 1);
}

// Finds the path of an open file. Returns false if changes are not counted.
static bool find_path(int file, char path[PATH_MAX]) {
    if (!is_armed()) return false;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length <= 0) return false;
    path[length] = 0;
    return true;
}

static void change_file(const char *call, int file) {
    char path[PATH_MAX];
    if (find_path(file, path)) change_path(call, path);
}

// SQLite writes a header, and flushes it and the folder, before the first commit to an empty log. Which act has that commit
// depends on what happened before, so these calls are not counted.
static _Thread_local bool has_new_header;

static bool is_log(const char *path) {
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, "-wal") == 0;
}

static void change_at(const char *call, int file, off64_t at) {
    char path[PATH_MAX];
    if (!find_path(file, path)) return;
    if (at == 0 && is_log(path)) has_new_header = true;
    else change_path(call, path);
}

static void flush(const char *call, int file) {
    char path[PATH_MAX];
    if (!find_path(file, path)) return;
    bool is_of_header = is_log(path) ? has_new_header : !strstr(path, ".db");
    if (is_log(path)) has_new_header = false;
    if (!is_of_header) change_path(call, path);
}

static void change_name(const char *call, const char *path) {
    if (is_armed()) change_path(call, path);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define FILE_CALL(result, name, parameters, count, ...) \
    result name parameters { \
        count; \
        return NEXT(name)(__VA_ARGS__); \
    }
#define NAME_CALL(name, parameters, path, ...) \
    int name parameters { \
        change_name(#name, path); \
        return NEXT(name)(__VA_ARGS__); \
    }

FILE_CALL(ssize_t, write, (int f, const void *data, size_t size), change_file("write", f), f, data, size)
FILE_CALL(ssize_t, pwrite, (int f, const void *data, size_t size, off_t at), change_at("pwrite", f, at), f, data, size, at)
FILE_CALL(
    ssize_t, pwrite64, (int f, const void *data, size_t size, off64_t at), change_at("pwrite64", f, at), f, data, size, at)
FILE_CALL(int, fsync, (int f), change_file("fsync", f), f)
FILE_CALL(int, fdatasync, (int f), flush("fdatasync", f), f)
FILE_CALL(int, ftruncate, (int f, off_t size), change_file("ftruncate", f), f, size)
FILE_CALL(int, ftruncate64, (int f, off64_t size), change_file("ftruncate64", f), f, size)
NAME_CALL(rename, (const char *old, const char *new), new, old, new)
NAME_CALL(unlink, (const char *path), path, path)

// Whether a request may change something: every method but GET and HEAD.
static bool is_change(const char *data, size_t count) {
    static const char *const methods[] = {"POST ", "PUT ", "PATCH ", "DELETE "};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        size_t length = strlen(methods[i]);
        if (count > length && memcmp(data, methods[i], length) == 0) return true;
    }
    return false;
}

ssize_t send(int socket, const void *data, size_t count, int flags) {
    if (is_armed() && socket >= 0 && socket < CONNECTIONS && is_change(data, count)) {
        // The method and the path.
        char line[256];
        snprintf(line, sizeof line, "%.*s", (int)(count < 200 ? count : 200), (const char *)data);
        line[strcspn(line, "?\r\n")] = 0;
        change("send", line);
        is_awaited[socket] = true;
    }
    return NEXT(send)(socket, data, count, flags);
}

ssize_t recv(int socket, void *data, size_t count, int flags) {
    ssize_t received = NEXT(recv)(socket, data, count, flags);
    if (received > 0 && is_armed() && socket >= 0 && socket < CONNECTIONS && is_awaited[socket]) {
        is_awaited[socket] = false;
        change("recv", "response");
    }
    return received;
}
