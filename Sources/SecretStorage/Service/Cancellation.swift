import CSecret
import Dispatch

/// A `GCancellable` that ends a blocking call.
///
/// Unchecked: GLib says that a cancellable may be used from any thread.
final class Cancellation: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GCancellable> = g_cancellable_new()

    func cancel(after limit: Duration) {
        DispatchQueue.global().asyncAfter(deadline: .now() + limit.seconds) { g_cancellable_cancel(self.pointer) }
    }

    deinit {
        g_object_unref(pointer)
    }
}
