#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A queue that plain threads wait on: posting never blocks, taking does.
///
/// Source: `pthread_cond_wait(3)`; the standard library has a mutex and no condition.
final class Mailbox<Element: Sendable>: @unchecked Sendable {  // `lock` guards what changes; the pointers never do.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let arrival = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var elements: [Element] = []
    /// Elements at the front that `takeOne` has handed out and not yet cut off.
    private var taken = 0
    private var isClosed = false

    init() {
        pthread_mutex_init(lock, nil)
        pthread_cond_init(arrival, nil)
    }

    deinit {
        pthread_cond_destroy(arrival)
        pthread_mutex_destroy(lock)
        arrival.deallocate()
        lock.deallocate()
    }

    /// Puts an element at the end; false when the mailbox is closed, and then it is not kept.
    func post(_ element: Element) -> Bool {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        guard !isClosed else { return false }
        elements.append(element)
        pthread_cond_signal(arrival)
        return true
    }

    /// Waits until there is something and takes all of it; nil once closed and empty.
    func takeAll() -> [Element]? {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        guard waitForElements() else { return nil }
        let all = taken == 0 ? elements : Array(elements[taken...])
        (elements, taken) = ([], 0)
        return all
    }

    /// Waits until there is something and takes the oldest; nil once closed and empty.
    func takeOne() -> Element? {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        guard waitForElements() else { return nil }
        defer { cutOff() }
        taken += 1
        return elements[taken - 1]
    }

    /// Refuses new elements from now on; the ones inside are still handed out.
    func close() {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        isClosed = true
        pthread_cond_broadcast(arrival)
    }

    private func waitForElements() -> Bool {
        while elements.count == taken, !isClosed { pthread_cond_wait(arrival, lock) }
        return elements.count > taken
    }

    /// Lets go of what was handed out: all at once, or when it is half of a long queue.
    private func cutOff() {
        guard taken == elements.count || taken >= 64 && taken * 2 >= elements.count else { return }
        elements.removeFirst(taken)
        taken = 0
    }
}
