import Foundation

/// Lets nobody through until so many wait, or until it is lifted; and knows how many were there at most.
final class Barrier: @unchecked Sendable {  // the condition guards everything
    private let condition = NSCondition()
    private var expected: Int
    private var inside = 0
    private var maximum = 0

    init(_ expected: Int) { self.expected = expected }

    /// How many were between ``enter()`` and ``leave()`` at once, at most.
    var most: Int { condition.withLock { maximum } }

    /// Waits until as many as are expected have come at some time.
    func enter() {
        condition.withLock {
            inside += 1
            maximum = max(maximum, inside)
            condition.broadcast()
            while maximum < expected { condition.wait() }
        }
    }

    func leave() { condition.withLock { inside -= 1 } }

    func open() {
        condition.withLock {
            expected = 0
            condition.broadcast()
        }
    }
}
