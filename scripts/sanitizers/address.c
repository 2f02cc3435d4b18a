// Linked by scripts/sanitize into everything that runs under the address sanitizer, which looks for leaks as well.
//
// Source: sanitizer/lsan_interface.h; swift_once in Swift's runtime; dlsym(3) on RTLD_NEXT; OPENSSL_init_crypto(3).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

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

// At exit OpenSSL deletes the key by which an ending thread frees its own data, and a thread that ends after that would
// be a leak. 0x00080000 is OPENSSL_INIT_NO_ATEXIT. A program without OpenSSL has no such function.
int OPENSSL_init_crypto(uint64_t options, const void *settings) __attribute__((weak));
__attribute__((constructor)) static void keep_thread_keys(void) {
    if (OPENSSL_init_crypto) OPENSSL_init_crypto(0x00080000, 0);
}
