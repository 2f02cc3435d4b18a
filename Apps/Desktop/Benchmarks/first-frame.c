// Reports the first frame of the program into which it is loaded (LD_PRELOAD): writes "frame" to standard error.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <gtk/gtk.h>
#include <unistd.h>

static void painted(GdkFrameClock *clock) {
    g_signal_handlers_disconnect_by_func(clock, G_CALLBACK(painted), NULL);
    if (write(STDERR_FILENO, "frame\n", 6) < 0) _exit(1);
}

void gtk_window_present(GtkWindow *window) {
    static gboolean isKnown;
    void (*present)(GtkWindow *) = (void (*)(GtkWindow *))dlsym(RTLD_NEXT, "gtk_window_present");
    present(window);
    if (isKnown) return;
    isKnown = TRUE;
    g_signal_connect(
        gdk_surface_get_frame_clock(gtk_native_get_surface(GTK_NATIVE(window))), "after-paint", G_CALLBACK(painted), NULL);
}
