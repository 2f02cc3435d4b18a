import FoundationEssentials

/// A table of counters by key, with a maximum size. A flood of invented addresses or accounts does not use more memory
/// than that.
///
/// When the table is full, a clock hand looks at the next few counters. It drops an idle one, or otherwise the one with
/// the least information. So lock-outs are dropped last.
struct AttemptTable<Key: Hashable & Sendable>: Sendable {
    private let limit: AttemptLimit
    private let capacity: Int
    private var places: [Key: Int] = [:]
    private var entries: [(key: Key, counter: AttemptCounter)] = []
    private var hand = 0

    /// Creates an empty table.
    init(limit: AttemptLimit, capacity: Int) {
        self.limit = limit
        self.capacity = max(1, capacity)
    }

    /// The number of counters.
    var count: Int { entries.count }

    /// Reserves a place for `key`; see ``AttemptCounter``.
    mutating func reserve(_ key: Key, at now: Date) -> Duration? {
        entries[place(of: key, now)].counter.reserve(limit, at: now)
    }

    /// Releases the place of `key` unused.
    mutating func release(_ key: Key) {
        if let place = places[key] { entries[place].counter.release() }
    }

    /// Releases the place of `key` after the correct password.
    mutating func succeed(_ key: Key, forgettingFailures: Bool) {
        if let place = places[key] { entries[place].counter.succeed(forgettingFailures: forgettingFailures) }
    }

    /// Uses up the place of `key`. Returns the length of the lock-out that starts; nil when none starts.
    mutating func fail(_ key: Key, at now: Date) -> Duration? {
        guard let place = places[key] else { return nil }
        return entries[place].counter.fail(limit, at: now)
    }

    /// Drops every idle counter.
    mutating func sweep(at now: Date) {
        var place = 0
        while place < entries.count {
            if entries[place].counter.isIdle(limit, at: now) { remove(at: place) } else { place += 1 }
        }
    }

    private mutating func place(of key: Key, _ now: Date) -> Int {
        if let place = places[key] { return place }
        if entries.count >= capacity { remove(at: leastInformative(now)) }
        places[key] = entries.count
        entries.append((key, AttemptCounter()))
        return entries.count - 1
    }

    private mutating func leastInformative(_ now: Date) -> Int {
        var least = hand % entries.count
        for _ in 0..<min(16, entries.count) {
            hand = (hand + 1) % entries.count
            let counter = entries[hand].counter
            if counter.isIdle(limit, at: now) { return hand }
            if counter.weight < entries[least].counter.weight { least = hand }
        }
        return least
    }

    private mutating func remove(at place: Int) {
        places[entries[place].key] = nil
        let last = entries.removeLast()
        guard place < entries.count else { return }
        entries[place] = last
        places[last.key] = place
    }
}
