import CSecret
import Dispatch

/// A `GCancellable` that ends a blocking call.
final class Cancellation: @unchecked Sendable {  // GLib lets every thread use a cancellable.
    let pointer: UnsafeMutablePointer<GCancellable> = g_cancellable_new()

    func cancel(after limit: Duration) {
        DispatchQueue.global().asyncAfter(deadline: .now() + limit.seconds) { g_cancellable_cancel(self.pointer) }
    }

    deinit {
        g_object_unref(pointer)
    }
}
