import CLibrary

/// A queue for plain threads. Posting never blocks; taking blocks until there is an element.
///
/// Source: `pthread_cond_wait(3)`; the standard library has a mutex but no condition variable.
final class Mailbox<Element: Sendable>: @unchecked Sendable {  // `lock` guards the state; the pointers are fixed.
    // Allocated, because a mutex and a condition must not move in memory.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var elements: [Element] = []
    /// The number of elements at the front that `takeOne` has returned but not yet removed from the array.
    private var taken = 0
    private var isClosed = false

    init() {
        pthread_mutex_init(lock, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(lock)
        condition.deallocate()
        lock.deallocate()
    }

    /// Appends an element. Returns false, and does not keep the element, when the mailbox is closed.
    func post(_ element: Element) -> Bool {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        guard !isClosed else { return false }
        elements.append(element)
        pthread_cond_signal(condition)
        return true
    }

    /// Waits for elements and returns all of them. Returns nil once the mailbox is closed and empty.
    func takeAll() -> [Element]? {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        guard waitForElements() else { return nil }
        let all = taken == 0 ? elements : Array(elements[taken...])
        (elements, taken) = ([], 0)
        return all
    }

    /// Waits for an element and returns the oldest. Returns nil once the mailbox is closed and empty.
    func takeOne() -> Element? {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        guard waitForElements() else { return nil }
        defer { cutOff() }
        taken += 1
        return elements[taken - 1]
    }

    /// Closes the mailbox for new elements. Elements that are already in it are still returned.
    func close() {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        isClosed = true
        pthread_cond_broadcast(condition)
    }

    private func waitForElements() -> Bool {
        while elements.count == taken, !isClosed { pthread_cond_wait(condition, lock) }
        return elements.count > taken
    }

    /// Removes the elements that were returned from the array: when all were, or when they are half of a long queue.
    private func cutOff() {
        guard taken == elements.count || taken >= 64 && taken * 2 >= elements.count else { return }
        elements.removeFirst(taken)
        taken = 0
    }
}
