import Synchronization

/// A cache of values that were recently read from the database, so that further requests need not read them.
///
/// A reader takes a ``Ticket`` before it reads the database. Its value is inserted only if nothing was removed in the
/// meantime, because otherwise the cache could keep an outdated value.
///
/// The cache has two generations. A requested value moves to the young generation. When that is full, it becomes the
/// old generation, and the previous old one is dropped.
package final class ReadCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The state of the cache before a read of the database.
    package struct Ticket: Sendable {
        fileprivate let removals: Int
    }

    private struct State {
        package var young: [Key: Value] = [:]
        package var old: [Key: Value] = [:]
        var removals = 0

        package mutating func store(_ value: Value, for key: Key, capacity: Int) {
            if young[key] == nil, young.count >= capacity {
                old = young
                young = [:]
            }
            young[key] = value
        }
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// Makes an empty cache for at most twice as many values as `capacity`.
    package init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// The number of values in the cache.
    package var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// The value of a key. Nil when it must be read from the database.
    package subscript(key: Key) -> Value? {
        state.withLock { state in
            if let value = state.young[key] { return value }
            guard let value = state.old.removeValue(forKey: key) else { return nil }
            state.store(value, for: key, capacity: capacity)
            return value
        }
    }

    /// A ticket for ``insert(_:for:ticket:)``. It must be taken before the database is read.
    package var ticket: Ticket { Ticket(removals: state.withLock { $0.removals }) }

    /// Inserts a value that was read, unless something was removed since the ticket was taken.
    package func insert(_ value: Value, for key: Key, ticket: Ticket) {
        state.withLock { state in
            guard state.removals == ticket.removals else { return }
            state.old[key] = nil
            state.store(value, for: key, capacity: capacity)
        }
    }

    /// Removes the value of a key. Must be called after a change to it has been committed.
    package func remove(_ key: Key) {
        state.withLock { state in
            state.removals += 1
            state.young[key] = nil
            state.old[key] = nil
        }
    }

    /// Removes all values.
    package func removeAll() {
        state.withLock { state in
            state.removals += 1
            state.young = [:]
            state.old = [:]
        }
    }
}
