#pragma once
// What Swift cannot import of libmicrohttpd, of epoll and of the system: variadic calls and unions.
#include <microhttpd.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <linux/filter.h>
#include <linux/sockios.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

// libmicrohttpd requires a certificate or a callback; each session gets its credentials when it is accepted.
static inline int latch_mhd_no_certificate(void) { return -1; }

// MHD_start_daemon is variadic. libmicrohttpd's own time-outs stay off (whole seconds, renewed by every byte).
// With GnuTLS priorities it uses TLS. The loops block SIGPIPE, because sendfile(2) always raises it.
static inline struct MHD_Daemon *latch_mhd_start(
    int listener, const char *priorities, unsigned int connection_limit, size_t memory_limit, void *context,
    MHD_AcceptPolicyCallback accept_policy, MHD_AccessHandlerCallback handler,
    void *(*target)(void *, const char *, struct MHD_Connection *), size_t (*unescape)(void *, struct MHD_Connection *, char *),
    MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback connection) {
    struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)priorities},
        {MHD_OPTION_HTTPS_CERT_CALLBACK, 0, (void *)latch_mhd_no_certificate},
        {MHD_OPTION_END, 0, NULL}};
    unsigned int flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_ALLOW_UPGRADE;
    return MHD_start_daemon(
        priorities == NULL ? flags : flags | MHD_USE_TLS, 0, accept_policy, context, handler, context,
        MHD_OPTION_LISTEN_SOCKET, listener, MHD_OPTION_CONNECTION_LIMIT, connection_limit,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory_limit, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_CONNECTION_TIMEOUT, 0u, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_URI_LOG_CALLBACK, target, context,
        MHD_OPTION_UNESCAPE_CALLBACK, unescape, context, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, connection, context,
        MHD_OPTION_ARRAY, priorities == NULL ? plain : tls, MHD_OPTION_END);
}

// MHD_get_daemon_info is variadic and returns a union.
static inline int latch_mhd_epoll_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

// MHD_get_connection_info is variadic and returns a union. These return -1, 0 or NULL if there is no value.
static inline int latch_mhd_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}
static inline void *latch_mhd_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}
// The GnuTLS session of a connection; NULL without TLS.
static inline void *latch_mhd_tls_session(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info == NULL ? NULL : info->tls_session;
}
static inline size_t latch_mhd_header_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}
static inline unsigned int latch_mhd_status(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_HTTP_STATUS);
    return info == NULL ? 0 : info->http_status;
}
static inline const struct sockaddr *latch_mhd_peer(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info == NULL ? NULL : info->client_addr;
}

// MHD_upgrade_action is variadic.
static inline void latch_mhd_end_upgrade(struct MHD_UpgradeResponseHandle *upgrade) {
    (void)MHD_upgrade_action(upgrade, MHD_UPGRADE_ACTION_CLOSE);
}

// The buffer is copied, but not const in the signature.
static inline struct MHD_Response *latch_mhd_response(const void *bytes, size_t count) {
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

// The response owns the buffer, which the program may still change while no connection sends it.
static inline struct MHD_Response *latch_mhd_response_with_buffer(void *buffer, size_t count) {
    return MHD_create_response_from_buffer_with_free_callback(count, buffer, &free);
}

// These are macros over 64-bit constants that Swift does not import.
static const uint64_t latch_mhd_size_unknown = MHD_SIZE_UNKNOWN;
static const ssize_t latch_mhd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t latch_mhd_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;
static inline int latch_mhd_is_complete(enum MHD_RequestTerminationCode code) {
    return code == MHD_REQUEST_TERMINATED_COMPLETED_OK;
}
// Removes the query from libmicrohttpd's buffer, which the callback gets as const. Otherwise libmicrohttpd parses its
// parameters; if there is no memory for them it waits instead of refusing.
static inline void latch_mhd_skip_query(const char *target) {
    char *query = (char *)strchr(target, '?');
    if (query != NULL && query[1] != '\0') query[1] = '\0';
}

// The bytes that the peer of a TCP connection has acknowledged since it was accepted, and those still unacknowledged.
// glibc's struct tcp_info lacks tcpi_bytes_acked, at offset 120 since Linux 4.1; the kernel only ever appends to its
// own. linux/tcp.h has it and contradicts netinet/tcp.h, so scripts/declarations compares the offset. -1 for any other
// socket.
static inline int latch_tcp_progress(int descriptor, uint64_t *acknowledged, uint64_t *queued) {
    unsigned char info[128];
    socklen_t size = sizeof info;
    int waiting = 0;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, info, &size) != 0 || size < sizeof info) return -1;
    memcpy(acknowledged, info + 120, sizeof *acknowledged);
    *queued = ioctl(descriptor, SIOCOUTQ, &waiting) == 0 && waiting > 0 ? (uint64_t)waiting : 0;
    return 0;
}
// connect(2) to AF_UNSPEC resets a TCP connection.
static inline void latch_tcp_reset(int descriptor) {
    struct sockaddr none;
    memset(&none, 0, sizeof none);
    none.sa_family = AF_UNSPEC;
    (void)connect(descriptor, &none, sizeof none);
}

// Makes a listening TCP socket drop the first packet of further connections, as if it were lost: their clients send it again
// after a second, and are refused then if the socket is closed. Connections that are being opened go on. Closing the socket
// alone would reset those that the system has confirmed to their clients and that were not accepted yet. Returns -1 for a
// system without such filters. See socket(7), SO_ATTACH_FILTER; the filter sees the TCP header, whose byte 13 has the flags.
static inline int latch_drop_new_connections(int listener) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 13),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, TH_SYN | TH_ACK),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TH_SYN, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX)};
    struct sock_fprog filter = {sizeof code / sizeof code[0], code};
    return setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}
// Whether a descriptor is a Unix socket.
static inline int latch_is_unix_socket(int descriptor) {
    int domain = 0;
    socklen_t size = sizeof domain;
    return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

// epoll_event holds a union, and EPOLL… constants are an enum of another type than its field.
static inline int latch_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t tag) {
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    event.events = events;
    event.data.u64 = tag;
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}
static inline int latch_epoll_change(int epoll, int descriptor, uint32_t events, uint64_t tag) {
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    event.events = events;
    event.data.u64 = tag;
    return epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event);
}
static inline int latch_epoll_remove(int epoll, int descriptor) {
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event);
}
static inline uint32_t latch_epoll_readable(void) { return EPOLLIN; }
static inline uint32_t latch_epoll_readable_or_writable(void) { return EPOLLIN | EPOLLOUT; }
static inline uint32_t latch_epoll_hangup(void) { return EPOLLRDHUP | EPOLLET; }
static inline uint32_t latch_epoll_once_readable(void) { return EPOLLIN | EPOLLRDHUP | EPOLLONESHOT; }
static inline uint32_t latch_epoll_once_writable(void) { return EPOLLOUT | EPOLLRDHUP | EPOLLONESHOT; }
static inline int latch_epoll_has_ended(const struct epoll_event *event) {
    return (event->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
}
static inline uint64_t latch_epoll_tag(const struct epoll_event *event) { return event->data.u64; }

// O_PATH, which glibc defines only with _GNU_SOURCE.
static const int latch_open_path = __O_PATH;

// syscall is variadic, and glibc 2.36 has no openat2. No path component, link or not, may lead out of the folder.
static inline int latch_open_beneath(int folder, const char *path) {
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

// sa_family lies in different places of imported structures; RLIMIT_NOFILE is an enum of another type on glibc.
static inline int latch_raise_descriptor_limit(uint64_t *limit) {
    struct rlimit now;
    if (getrlimit(RLIMIT_NOFILE, &now) != 0) return -1;
    *limit = now.rlim_cur;
    if (now.rlim_cur == now.rlim_max) return 0;
    now.rlim_cur = now.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &now) != 0) return -1;
    *limit = now.rlim_cur;
    return 0;
}

// These enums are imported as Swift enums whose case names drop the prefix in ways that differ between compilers.
static const enum MHD_Result latch_mhd_yes = MHD_YES;
static const enum MHD_Result latch_mhd_no = MHD_NO;
static inline int latch_mhd_is_start(enum MHD_ConnectionNotificationCode code) {
    return code == MHD_CONNECTION_NOTIFY_STARTED;
}
static inline int latch_mhd_field_count(struct MHD_Connection *connection) {
    return MHD_get_connection_values(connection, MHD_HEADER_KIND, NULL, NULL);
}
