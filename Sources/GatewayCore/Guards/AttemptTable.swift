import FoundationEssentials

/// A table of counters by key, with a maximum size. A flood of invented addresses or accounts does not use more memory
/// than that.
///
/// When the table is full, a clock hand looks at the next few counters. It drops an idle one, or otherwise the one with
/// the least information. So lock-outs are dropped last.
struct AttemptTable<Key: Hashable & Sendable>: Sendable {
    private let limit: AttemptLimit
    private let capacity: Int
    private var indexes: [Key: Int] = [:]
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
        entries[index(of: key, now)].counter.reserve(limit, at: now)
    }

    /// Releases the place of `key` unused.
    mutating func release(_ key: Key) {
        if let index = indexes[key] { entries[index].counter.release() }
    }

    /// Releases the place of `key` after the correct password.
    mutating func succeed(_ key: Key, resettingFailures: Bool) {
        if let index = indexes[key] { entries[index].counter.succeed(resettingFailures: resettingFailures) }
    }

    /// Uses up the place of `key`. Returns the length of the lock-out that starts; nil when none starts.
    mutating func fail(_ key: Key, at now: Date) -> Duration? {
        // A flood may have displaced the counter while the password was checked.
        guard let index = indexes[key] else { return nil }
        return entries[index].counter.fail(limit, at: now)
    }

    /// Drops every idle counter.
    mutating func sweep(at now: Date) {
        var index = 0
        while index < entries.count {
            if entries[index].counter.isIdle(limit, at: now) { remove(at: index) } else { index += 1 }
        }
    }

    private mutating func index(of key: Key, _ now: Date) -> Int {
        if let index = indexes[key] { return index }
        if entries.count >= capacity { remove(at: leastInformative(now)) }
        indexes[key] = entries.count
        entries.append((key, AttemptCounter()))
        return entries.count - 1
    }

    private mutating func leastInformative(_ now: Date) -> Int {
        var least = hand % entries.count
        // Scanning the whole table for each invented key would slow down every sign-in.
        for _ in 0..<min(16, entries.count) {
            hand = (hand + 1) % entries.count
            let counter = entries[hand].counter
            if counter.isIdle(limit, at: now) { return hand }
            if counter.weight < entries[least].counter.weight { least = hand }
        }
        return least
    }

    private mutating func remove(at index: Int) {
        indexes[entries[index].key] = nil
        let last = entries.removeLast()
        guard index < entries.count else { return }
        entries[index] = last
        indexes[last.key] = index
    }
}
