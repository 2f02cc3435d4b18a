#pragma once
#include <curl/curl.h>

// Swift imports no variadic C function: one wrapper for each type of argument.

static inline CURLcode latch_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode latch_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode latch_curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode latch_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode latch_curl_set_write(CURL *easy, CURLoption option, curl_write_callback value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode latch_curl_set_tls_context(CURL *easy, curl_ssl_ctx_callback value) {
    return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, value);
}

static inline CURLcode latch_curl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode latch_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode latch_curl_get_socket(CURL *easy, curl_socket_t *value) {
    return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, value);
}

// CURLMsg keeps its result in a union, which Swift shows without names.
static inline CURLcode latch_curl_message_result(const CURLMsg *message) {
    return message->data.result;
}

// Variadic in C, which Swift does not import.
static inline void latch_curl_multi_set_callbacks(CURLM *multi, curl_socket_callback sockets,
                                                  curl_multi_timer_callback timer, void *owner) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, sockets);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, owner);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, owner);
}

// How many connections are kept open without a transfer.
static inline void latch_curl_multi_set_idle_connections(CURLM *multi, long count) {
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, count);
}
