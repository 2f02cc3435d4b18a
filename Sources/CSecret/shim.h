#pragma once
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The part of libsecret 0.20.5 (libsecret/secret.h) and GLib 2.74 (glib.h, gio/gio.h) that is used; their binary
// interfaces are stable. Declared here and loaded on first use, because linking would cost each program 5 MiB and some
// milliseconds at start, and would make them required. scripts/declarations defines LATCH_SECRET_HEADERS: then the real
// headers are included, and all declarations here are compared with them.
#define LATCH_SECRET_CONSTANTS(of) \
    of(G_BUS_TYPE_SESSION, 2) of(SECRET_SCHEMA_NONE, 0) of(SECRET_SCHEMA_ATTRIBUTE_STRING, 0) \
    of(SECRET_SERVICE_OPEN_SESSION, 1 << 1) of(SECRET_COLLECTION_NONE, 0) of(SECRET_SEARCH_ALL, 1 << 1) \
    of(SECRET_SEARCH_LOAD_SECRETS, 1 << 3) of(SECRET_ERROR_IS_LOCKED, 2) of(G_DBUS_ERROR_SERVICE_UNKNOWN, 2) \
    of(G_DBUS_ERROR_NAME_HAS_NO_OWNER, 3) of(G_DBUS_ERROR_NO_REPLY, 4) of(G_DBUS_ERROR_ACCESS_DENIED, 9) \
    of(G_DBUS_ERROR_AUTH_FAILED, 10) of(G_DBUS_ERROR_NO_SERVER, 11) of(G_DBUS_ERROR_TIMEOUT, 12) \
    of(G_DBUS_ERROR_DISCONNECTED, 15) of(G_DBUS_ERROR_SPAWN_EXEC_FAILED, 23) of(G_DBUS_ERROR_SPAWN_NO_MEMORY, 34) \
    of(G_IO_ERROR_NOT_FOUND, 1) of(G_IO_ERROR_PERMISSION_DENIED, 14) of(G_IO_ERROR_CLOSED, 18) \
    of(G_IO_ERROR_CANCELLED, 19) of(G_IO_ERROR_TIMED_OUT, 24) of(G_IO_ERROR_CONNECTION_REFUSED, 39)

#ifdef LATCH_SECRET_HEADERS

#include <gio/gio.h>
#include <libsecret/secret.h>
#define LATCH_SECRET_CONSTANT(name, value) _Static_assert(name == (value), #name);
LATCH_SECRET_CONSTANTS(LATCH_SECRET_CONSTANT)

#else

#define LATCH_SECRET_CONSTANT(name, value) name = value,
enum { LATCH_SECRET_CONSTANTS(LATCH_SECRET_CONSTANT) };

// Written exactly as in GLib: a program that also imports GLib's own module sees both declarations of a structure.
typedef char gchar;
typedef int gint;
typedef gint gboolean;
typedef unsigned int guint32;
typedef guint32 GQuark;
typedef void *gpointer;
typedef struct _GError GError;
typedef struct _GList GList;
typedef struct _GCancellable GCancellable;
typedef struct _GDBusConnection GDBusConnection;
typedef struct _GHashTable GHashTable;
typedef struct _SecretCollection SecretCollection;
typedef struct _SecretItem SecretItem;
typedef struct _SecretService SecretService;
typedef struct _SecretValue SecretValue;

typedef int GBusType, SecretCollectionFlags, SecretSchemaAttributeType, SecretSchemaFlags, SecretSearchFlags, SecretServiceFlags;

struct _GError {
    GQuark domain;
    gint code;
    gchar *message;
};

struct _GList {
    gpointer data;
    GList *next;
    GList *prev;
};

// A schema's attributes are a fixed array of 32.
typedef struct {
    const char *name;
    SecretSchemaAttributeType type;
} SecretSchemaAttribute;

typedef struct {
    const char *name;
    SecretSchemaFlags flags;
    SecretSchemaAttribute attributes[32];
    int reserved;
    void *reserved1, *reserved2, *reserved3, *reserved4, *reserved5, *reserved6, *reserved7;
} SecretSchema;

#endif

#undef LATCH_SECRET_CONSTANT
#undef LATCH_SECRET_CONSTANTS

// For the declarations above and for the real ones.
#if __SIZEOF_POINTER__ == 8
_Static_assert(sizeof(GBusType) == 4 && sizeof(SecretServiceFlags) == 4 && sizeof(SecretSchemaFlags) == 4, "enumerations");
_Static_assert(sizeof(GError) == 16 && offsetof(GError, code) == 4 && offsetof(GError, message) == 8, "GError");
_Static_assert(sizeof(GList) == 24 && offsetof(GList, next) == 8 && offsetof(GList, prev) == 16, "GList");
_Static_assert(sizeof(SecretSchemaAttribute) == 16 && offsetof(SecretSchemaAttribute, type) == 8, "SecretSchemaAttribute");
_Static_assert(sizeof(SecretSchema) == 592 && offsetof(SecretSchema, flags) == 8, "SecretSchema");
_Static_assert(offsetof(SecretSchema, attributes) == 16 && offsetof(SecretSchema, reserved7) == 584, "SecretSchema");
#endif

// The names in parentheses are macros too in some versions of GLib.
GDBusConnection *g_bus_get_sync(GBusType, GCancellable *, GError **);
void g_cancellable_cancel(GCancellable *);
GCancellable *g_cancellable_new(void);
void g_clear_error(GError **);
void g_dbus_connection_set_exit_on_close(GDBusConnection *, gboolean);
uint32_t g_dbus_error_quark(void);
void (g_free)(void *);
gboolean g_hash_table_insert(GHashTable *, void *, void *);
GHashTable *g_hash_table_new_full(
    unsigned (*)(const void *), gboolean (*)(const void *, const void *), void (*)(void *), void (*)(void *));
void g_hash_table_unref(GHashTable *);
uint32_t g_io_error_quark(void);
void g_list_free_full(GList *, void (*)(void *));
void g_object_unref(void *);
gboolean (g_str_equal)(const void *, const void *);
unsigned g_str_hash(const void *);
char *(g_strdup)(const char *);
SecretCollection *secret_collection_for_alias_sync(
    SecretService *, const char *, SecretCollectionFlags, GCancellable *, GError **);
gboolean secret_collection_get_locked(SecretCollection *);
uint32_t secret_error_get_quark(void);
gboolean secret_item_get_locked(SecretItem *);
SecretValue *secret_item_get_secret(SecretItem *);
gboolean secret_service_clear_sync(SecretService *, const SecretSchema *, GHashTable *, GCancellable *, GError **);
size_t secret_service_get_type(void);
SecretService *secret_service_open_sync(size_t, const char *, SecretServiceFlags, GCancellable *, GError **);
GList *secret_service_search_sync(
    SecretService *, const SecretSchema *, GHashTable *, SecretSearchFlags, GCancellable *, GError **);
gboolean secret_service_store_sync(
    SecretService *, const SecretSchema *, GHashTable *, const char *, const char *, SecretValue *, GCancellable *, GError **);
const char *secret_value_get(SecretValue *, size_t *);
SecretValue *secret_value_new(const char *, ptrdiff_t, const char *);
void secret_value_unref(void *);

#define LATCH_SECRET_FUNCTIONS(of) \
    of(g_bus_get_sync) of(g_cancellable_cancel) of(g_cancellable_new) of(g_clear_error) \
    of(g_dbus_connection_set_exit_on_close) of(g_dbus_error_quark) of(g_free) of(g_hash_table_insert) \
    of(g_hash_table_new_full) of(g_hash_table_unref) of(g_io_error_quark) of(g_list_free_full) of(g_object_unref) \
    of(g_str_equal) of(g_str_hash) of(g_strdup) of(secret_collection_for_alias_sync) of(secret_collection_get_locked) \
    of(secret_error_get_quark) of(secret_item_get_locked) of(secret_item_get_secret) of(secret_service_clear_sync) \
    of(secret_service_get_type) of(secret_service_open_sync) of(secret_service_search_sync) \
    of(secret_service_store_sync) of(secret_value_get) of(secret_value_new) of(secret_value_unref)

#define LATCH_SECRET_MEMBER(name) __typeof__(name) *_Nonnull name;
struct latch_secret_functions { LATCH_SECRET_FUNCTIONS(LATCH_SECRET_MEMBER) };
#undef LATCH_SECRET_MEMBER

// Loads all functions; false if one is missing. A library's own libraries are searched with it.
static inline bool latch_secret_load(void *library, struct latch_secret_functions *functions) {
#define LATCH_SECRET_FIND(name) \
    functions->name = (__typeof__(name) *)dlsym(library, #name); \
    if (!functions->name) return false;
    LATCH_SECRET_FUNCTIONS(LATCH_SECRET_FIND)
#undef LATCH_SECRET_FIND
    return true;
}
#undef LATCH_SECRET_FUNCTIONS

// What an error says, by its domain and its code.
static inline bool latch_secret_is_locked(struct latch_secret_functions functions, const GError *error) {
    return error->domain == functions.secret_error_get_quark() && error->code == SECRET_ERROR_IS_LOCKED;
}

static inline bool latch_secret_is_denied(struct latch_secret_functions functions, const GError *error) {
    if (error->domain == functions.g_io_error_quark()) return error->code == G_IO_ERROR_PERMISSION_DENIED;
    return error->domain == functions.g_dbus_error_quark()
        && (error->code == G_DBUS_ERROR_ACCESS_DENIED || error->code == G_DBUS_ERROR_AUTH_FAILED);
}

static inline bool latch_secret_is_cancelled(struct latch_secret_functions functions, const GError *error) {
    if (error->domain == functions.g_dbus_error_quark()) return error->code == G_DBUS_ERROR_TIMEOUT;
    return error->domain == functions.g_io_error_quark()
        && (error->code == G_IO_ERROR_CANCELLED || error->code == G_IO_ERROR_TIMED_OUT);
}

static inline bool latch_secret_is_absent(struct latch_secret_functions functions, const GError *error) {
    if (error->domain == functions.g_io_error_quark())
        return error->code == G_IO_ERROR_CLOSED || error->code == G_IO_ERROR_NOT_FOUND
            || error->code == G_IO_ERROR_CONNECTION_REFUSED;
    if (error->domain != functions.g_dbus_error_quark()) return false;
    switch (error->code) {
    case G_DBUS_ERROR_SERVICE_UNKNOWN:
    case G_DBUS_ERROR_NAME_HAS_NO_OWNER:
    case G_DBUS_ERROR_NO_SERVER:
    case G_DBUS_ERROR_DISCONNECTED:
    case G_DBUS_ERROR_NO_REPLY: return true;
    default: return error->code >= G_DBUS_ERROR_SPAWN_EXEC_FAILED && error->code <= G_DBUS_ERROR_SPAWN_NO_MEMORY;
    }
}

static inline const SecretSchema *latch_secret_schema(void) {
    static const SecretSchema schema = {
        "org.latchstring.Secret", 0, {{"service", 0}, {"account", 0}, {"id", 0}, {NULL, 0}}, 0, 0, 0, 0, 0, 0, 0, 0};
    return &schema;
}
