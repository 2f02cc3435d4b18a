import Primitives

extension SystemThread {
    /// Runs `body` on a new detached thread. When the system cannot start a thread, the program ends, because the work
    /// cannot be undone or reported.
    static func detachOrEnd(_ body: @escaping @Sendable () -> Void) {
        do {
            try detach(blocksSignals: false, body)
        } catch {
            fatalError("Could not start a thread: \(error).")
        }
    }
}
