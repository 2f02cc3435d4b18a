import FoundationEssentials

/// Counters by key, bounded: a flood of made-up addresses or accounts costs no more memory than the bound.
///
/// When the table is full, a hand goes round it and drops, of the next few counters, an idle one or else the one that
/// tells least. A lock-out is so the last thing to be forgotten.
struct AttemptTable<Key: Hashable & Sendable>: Sendable {
    private let limit: AttemptLimit
    private let capacity: Int
    private var places: [Key: Int] = [:]
    private var entries: [(key: Key, counter: AttemptCounter)] = []
    private var hand = 0

    /// Makes an empty table.
    init(limit: AttemptLimit, capacity: Int) {
        self.limit = limit
        self.capacity = max(1, capacity)
    }

    /// How many counters there are.
    var count: Int { entries.count }

    /// Takes a place for `key`; see ``AttemptCounter``.
    mutating func reserve(_ key: Key, at now: Date) -> Duration? {
        entries[place(of: key, now)].counter.reserve(limit, at: now)
    }

    /// Gives the place of `key` back unused.
    mutating func release(_ key: Key) {
        if let place = places[key] { entries[place].counter.release() }
    }

    /// Gives the place of `key` back after the right password.
    mutating func succeed(_ key: Key, forgettingFailures: Bool) {
        if let place = places[key] { entries[place].counter.succeed(forgettingFailures: forgettingFailures) }
    }

    /// Uses the place of `key` up; the length of the lock-out when that led to one.
    mutating func fail(_ key: Key, at now: Date) -> Duration? {
        guard let place = places[key] else { return nil }
        return entries[place].counter.fail(limit, at: now)
    }

    /// Drops every counter that says nothing any more.
    mutating func sweep(at now: Date) {
        var place = 0
        while place < entries.count {
            if entries[place].counter.isIdle(limit, at: now) { remove(at: place) } else { place += 1 }
        }
    }

    private mutating func place(of key: Key, _ now: Date) -> Int {
        if let place = places[key] { return place }
        if entries.count >= capacity { remove(at: leastTelling(now)) }
        places[key] = entries.count
        entries.append((key, AttemptCounter()))
        return entries.count - 1
    }

    private mutating func leastTelling(_ now: Date) -> Int {
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
