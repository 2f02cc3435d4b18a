// Linked by scripts/sanitize into everything that runs under the address sanitizer, which looks for leaks as well.
//
// Source: sanitizer/lsan_interface.h; swift_once in Swift's runtime; dlsym(3) on RTLD_NEXT.
#define _GNU_SOURCE
#include <dlfcn.h>

const char *__asan_default_options(void) { return OPTIONS; }

// Not ours: Foundation keeps the buffer that it reads a file of no bytes into, and XCTest a list of its own.
const char *__lsan_default_suppressions(void) { return "leak:readBytesFromFile\nleak:libXCTest.so\n"; }

void __lsan_disable(void);
void __lsan_enable(void);

// What is made for a global variable stays for good and is no leak, but Swift keeps flags in the spare bits of some
// pointers, and then the sanitizer does not see that a global points there.
void swift_once(void *predicate, void (*make)(void *), void *context) {
    static void (*once)(void *, void (*)(void *), void *);
    if (!once) once = (void (*)(void *, void (*)(void *), void *))dlsym(RTLD_NEXT, "swift_once");
    __lsan_disable();
    once(predicate, make, context);
    __lsan_enable();
}
