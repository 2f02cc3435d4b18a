import CSecret
import Dispatch
import Primitives

/// A `GCancellable` that cancels a blocking call.
final class Cancellation: @unchecked Sendable {  // GLib allows the use of a cancellable from any thread.
    let pointer: OpaquePointer?
    private let library: latch_secret_functions

    init(_ library: latch_secret_functions) {
        (self.library, pointer) = (library, library.g_cancellable_new())
    }

    func cancel(after limit: Duration) {
        DispatchQueue.global().asyncAfter(deadline: .now() + limit.seconds) {
            self.library.g_cancellable_cancel(self.pointer)
        }
    }

    deinit {
        library.g_object_unref(UnsafeMutableRawPointer(pointer))
    }
}
