import Synchronization

/// What was read of the database lately, by key, so that the next request reads nothing.
///
/// A reader may put in what it read only if nothing was removed meanwhile: it takes a ``Ticket`` before it reads, or what was
/// changed between the two would be kept as it was.
///
/// In two generations: what is asked for becomes young, and when there are enough young ones all become old and the old go.
final class ReadCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The state of the cache before a read of the database.
    struct Ticket: Sendable {
        fileprivate let removals: Int
    }

    private struct State {
        var young: [Key: Value] = [:]
        var old: [Key: Value] = [:]
        var removals = 0

        mutating func keep(_ value: Value, _ key: Key, _ capacity: Int) {
            if young[key] == nil, young.count >= capacity {
                old = young
                young = [:]
            }
            young[key] = value
        }
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// Makes an empty cache for about twice as many values as `capacity`.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// How many values are held.
    var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// The value of a key; nil when it is to be read.
    subscript(key: Key) -> Value? {
        state.withLock { state in
            if let value = state.young[key] { return value }
            guard let value = state.old.removeValue(forKey: key) else { return nil }
            state.keep(value, key, capacity)
            return value
        }
    }

    /// The ticket that ``insert(_:for:ticket:)`` wants, to be taken before the database is read.
    var ticket: Ticket { Ticket(removals: state.withLock { $0.removals }) }

    /// Puts in what was read, unless something was removed since the ticket was taken.
    func insert(_ value: Value, for key: Key, ticket: Ticket) {
        state.withLock { state in
            guard state.removals == ticket.removals else { return }
            state.old[key] = nil
            state.keep(value, key, capacity)
        }
    }

    /// Removes the value of a key, after a change of it was committed.
    func remove(_ key: Key) {
        state.withLock { state in
            state.removals += 1
            state.young[key] = nil
            state.old[key] = nil
        }
    }

    /// Removes everything.
    func removeAll() {
        state.withLock { state in
            state.removals += 1
            state.young = [:]
            state.old = [:]
        }
    }
}
