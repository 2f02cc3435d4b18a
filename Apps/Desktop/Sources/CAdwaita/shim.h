#pragma once
// The oldest supported versions: newer functions are refused, and what later versions deprecate stays without a warning.
#define GDK_VERSION_MIN_REQUIRED GDK_VERSION_4_8
#define GDK_VERSION_MAX_ALLOWED GDK_VERSION_4_8
#define ADW_VERSION_MIN_REQUIRED ADW_VERSION_1_2
#define ADW_VERSION_MAX_ALLOWED ADW_VERSION_1_2
#define GLIB_VERSION_MIN_REQUIRED GLIB_VERSION_2_74
#define GLIB_VERSION_MAX_ALLOWED GLIB_VERSION_2_74
#include <adwaita.h>
#include <glib-unix.h>
#include <sys/syscall.h>
#include <unistd.h>

// libdispatch exports both for CoreFoundation's run loop, but no header of the toolchain declares them.
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *_Nullable unused);

// Variadic in C, which Swift does not import. The role of a widget can be set only at its creation.
static inline GtkWidget *latch_label_new(GtkAccessibleRole role) {
    return GTK_WIDGET(g_object_new(GTK_TYPE_LABEL, "accessible-role", role, NULL));
}
// A decoration, which assistive technology skips.
static inline GtkWidget *latch_icon_new(const char *name) {
    return GTK_WIDGET(g_object_new(GTK_TYPE_IMAGE, "icon-name", name, "accessible-role",
                                   GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL));
}

// For tests: whether the caller runs on the main thread.
static inline int latch_is_main_thread(void) { return getpid() == (pid_t)syscall(SYS_gettid); }

// The object of `IndexModel`: GObject needs its layout.
typedef struct { GObject parent; guint count; } LatchIndexModel;
