import Primitives

extension SystemThread {
    /// Runs `body` on a new thread that nobody waits for. Where the system has no thread left the program ends, as nothing
    /// that was begun could be ended.
    static func detachOrEnd(_ body: @escaping @Sendable () -> Void) {
        do {
            try detach(blocksSignals: false, body)
        } catch {
            fatalError("Could not start a thread: \(error).")
        }
    }
}
