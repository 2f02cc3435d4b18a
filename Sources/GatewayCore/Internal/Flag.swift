import Synchronization

/// A flag that can be raised once.
package final class Flag: Sendable {
    private let value = Atomic(false)

    package init() {}

    package var isRaised: Bool { value.load(ordering: .acquiring) }

    package func raise() {
        value.store(true, ordering: .releasing)
    }
}
