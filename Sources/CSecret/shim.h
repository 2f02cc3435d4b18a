#pragma once
#include <libsecret/secret.h>

// A schema's attributes are a fixed array of 32, which Swift imports as a tuple of 32.
static inline const SecretSchema *latch_secret_schema(void) {
    static const SecretSchema schema = {
        "org.latchstring.Secret", SECRET_SCHEMA_NONE,
        {{"service", SECRET_SCHEMA_ATTRIBUTE_STRING}, {"account", SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}}, 0, 0, 0, 0, 0, 0, 0, 0};
    return &schema;
}

// Casts and error domains are macros.
static inline GObject *latch_secret_object(gpointer pointer) { return (GObject *)pointer; }
static inline gboolean latch_secret_is_locked(const GError *error) {
    return error->domain == SECRET_ERROR && error->code == SECRET_ERROR_IS_LOCKED;
}
static inline gboolean latch_secret_is_denied(const GError *error) {
    return g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED)
        || g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_AUTH_FAILED)
        || g_error_matches(error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED);
}
static inline gboolean latch_secret_is_cancelled(const GError *error) {
    return g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
        || g_error_matches(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT)
        || g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_TIMEOUT);
}
static inline gboolean latch_secret_is_absent(const GError *error) {
    return g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN)
        || g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NAME_HAS_NO_OWNER)
        || g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NO_SERVER)
        || g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_DISCONNECTED)
        || g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NO_REPLY)
        || (error->domain == G_DBUS_ERROR && error->code >= G_DBUS_ERROR_SPAWN_EXEC_FAILED
            && error->code <= G_DBUS_ERROR_SPAWN_NO_MEMORY)
        || g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CLOSED)
        || g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND)
        || g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED);
}
