import HTTPMessages

/// Limits the memory of the incomplete requests of one loop, with a share for each address.
///
/// An address may use an eighth of the memory, a /56 network a quarter and a /48 network half of it. When a share or the
/// whole is used up, the request in it that has waited longest is refused, and not the newest: a client that sends its
/// request without pauses is then served however many others wait. A request is never refused in favor of itself, so one
/// request may be larger than a share.
///
/// Complete requests that wait for their handlers use the memory too, but have no share and are never refused.
final class IncompleteRequests: @unchecked Sendable {  // Used only on the loop's thread, except `memory`.
    /// A request whose memory is counted.
    final class Entry {
        unowned let exchange: Exchange
        fileprivate let keys: [AddressKey]
        fileprivate var bytes = 0
        fileprivate var isOver = false

        fileprivate init(_ exchange: Exchange, keys: [AddressKey]) {
            self.exchange = exchange
            self.keys = keys
        }
    }

    /// The requests of one address or network, or all.
    private struct Share {
        var bytes = 0
        var count = 0
        private var queue: [Entry] = []
        private var first = 0

        mutating func append(_ entry: Entry) {
            // Entries that are over stay in the queue until they are half of it.
            if queue.count > 2 * count + 16 {
                queue = queue[first...].filter { !$0.isOver }
                first = 0
            }
            queue.append(entry)
            count += 1
        }

        /// The entry that has waited longest, other than `newest`.
        mutating func oldest(before newest: Entry) -> Entry? {
            while first < queue.count, queue[first].isOver { first += 1 }
            guard first < queue.count else { return nil }
            if queue[first] !== newest { return queue[first] }
            return queue[(first + 1)...].first { !$0.isOver }
        }
    }

    private let limit: Int
    private let memory: MemoryUse
    private var all = Share()
    private var shares: [AddressKey: Share] = [:]

    /// Creates the limit of one loop, in bytes. `memory` counts that of all loops.
    init(limit: Int, memory: MemoryUse) {
        self.limit = limit
        self.memory = memory
    }

    /// Counts `more` bytes of a request, and refuses those that have waited longest if they do not fit.
    ///
    /// - Parameters:
    ///   - more: The number of bytes.
    ///   - entry: The request. From ``entry(for:from:)``.
    ///   - refuse: Refuses a request and removes it.
    func add(_ more: Int, to entry: Entry, refuse: (Exchange) -> Void) {
        for key in entry.keys {
            let limit = key.share(of: limit)
            while (shares[key]?.bytes ?? 0) + more > limit, let oldest = shares[key]?.oldest(before: entry) {
                refuse(oldest.exchange)
            }
        }
        while all.bytes + more > limit, let oldest = all.oldest(before: entry) { refuse(oldest.exchange) }
        entry.bytes += more
        all.bytes += more
        for key in entry.keys { shares[key]?.bytes += more }
        memory.add(more)
    }

    /// Creates the entry of a request. Clients that share a connection, behind a proxy, and those of a Unix socket have no
    /// share.
    func entry(for exchange: Exchange, from address: AddressKey?) -> Entry {
        let entry = Entry(exchange, keys: address?.all ?? [])
        all.append(entry)
        for key in entry.keys { shares[key, default: Share()].append(entry) }
        return entry
    }

    /// Removes a request that is complete or over.
    func remove(_ entry: Entry) {
        guard !entry.isOver else { return }
        entry.isOver = true
        all.bytes -= entry.bytes
        all.count -= 1
        for key in entry.keys {
            shares[key]?.bytes -= entry.bytes
            shares[key]?.count -= 1
            if shares[key]?.count == 0 { shares[key] = nil }
        }
        memory.remove(entry.bytes)
    }
}
