#pragma once
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Swift imports neither OpenSSL's function-like macros nor its typed stacks: one wrapper for each that is used.

static inline long latch_ssl_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return SSL_CTX_add1_chain_cert(context, certificate);
}

static inline int latch_x509_stack_count(const STACK_OF(X509) *stack) {
    return stack == NULL ? 0 : sk_X509_num(stack);
}

static inline X509 *latch_x509_stack_value(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}

static inline void latch_x509_stack_free(STACK_OF(X509) *stack) {
    sk_X509_pop_free(stack, X509_free);
}

static inline GENERAL_NAMES *latch_x509_alternative_names(X509 *certificate) {
    return (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}

static inline int latch_general_names_count(const GENERAL_NAMES *names) {
    return names == NULL ? 0 : sk_GENERAL_NAME_num(names);
}

// The bytes of the name at `index` and its kind, GEN_DNS or GEN_IPADD; NULL for every other kind.
static inline const unsigned char *latch_general_name_bytes(const GENERAL_NAMES *names, int index, int *kind, int *count) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
    *kind = name->type;
    if (name->type != GEN_DNS && name->type != GEN_IPADD) return NULL;
    const ASN1_STRING *string = name->type == GEN_DNS ? (ASN1_STRING *)name->d.dNSName : (ASN1_STRING *)name->d.iPAddress;
    *count = ASN1_STRING_length(string);
    return ASN1_STRING_get0_data(string);
}

static inline unsigned long latch_bio_contents(BIO *bio, char **bytes) {
    return (unsigned long)BIO_get_mem_data(bio, bytes);
}

// RFC 2253's form, with UTF-8 as it is instead of escaped.
static inline int latch_x509_name_print(BIO *bio, const X509_NAME *name) {
    return X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
}

// EVP_PKEY_PUBLIC_KEY is a sum of casts.
static inline int latch_evp_public_key_from(EVP_PKEY_CTX *context, EVP_PKEY **key, OSSL_PARAM *parameters) {
    return EVP_PKEY_fromdata(context, key, EVP_PKEY_PUBLIC_KEY, parameters);
}

// A builder keeps the pointers that it is given, so they are constants here.
static inline int latch_parameters_push_rsa(OSSL_PARAM_BLD *builder, const BIGNUM *modulus, const BIGNUM *exponent) {
    return OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent);
}

static inline int latch_parameters_push_p256(OSSL_PARAM_BLD *builder, const void *point, size_t count) {
    return OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0)
        && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, count);
}
