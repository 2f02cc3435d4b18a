#pragma once
// What Swift cannot import of GnuTLS: casting macros and anonymous enums.
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

// The common name's object identifier is a macro in x509.h.
static const char *const latch_gnutls_common_name = GNUTLS_OID_X520_COMMON_NAME;

// gnutls_free is a function pointer in a variable, which Swift 6 treats as shared mutable state.
static inline void latch_gnutls_free(void *memory) { gnutls_free(memory); }
