import Synchronization

/// A value that a test changes while a server reads it.
package final class Flag: Sendable {
    private let state = Mutex(false)

    package init() {}

    /// The value. False at first.
    package var value: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
