import CAdwaita
import Dispatch

/// Runs the work of the main actor in GLib's main loop.
///
/// libdispatch signals the main queue's work with an eventfd, which becomes a source of the default main context.
/// Nothing polls: without work the process sleeps.
///
/// The program's `main()` must be synchronous. With an asynchronous `main()` the Swift runtime itself drains the main
/// queue, on Linux on another thread.
///
/// Source: `_dispatch_get_main_queue_handle_4CF` in libdispatch, `src/queue.c`; `CFRunLoop.c` of swift-corelibs-foundation.
@MainActor
public enum MainLoop {
    /// Adds the main queue to GLib's default main context. Call it once, on the main thread, before the loop runs.
    ///
    /// GTK handles input at priority 0 and draws at 120. The main queue has priority 125, so that any amount of its
    /// work leaves the window responsive.
    public static func attach() {
        let descriptor = _dispatch_get_main_queue_handle_4CF()
        g_unix_fd_add_full(
            125, descriptor, G_IO_IN,
            { descriptor, _, _ in
                // Read before draining: work that arrives while draining signals again.
                var count: UInt64 = 0
                _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
                _dispatch_main_queue_callback_4CF(nil)
                return 1
            }, nil, nil)
    }
}
