import HTTPMessages

/// Limits the memory of exchanges of one loop that wait for their clients, with a share for each address: of requests that
/// are incomplete, or of responses that are not read.
///
/// An address may use an eighth of the memory, a /56 network a quarter and a /48 network half of it. When a share or the
/// whole is used up, the exchange in it that has waited longest is ended, and not the newest: a client that sends and reads
/// without pauses is then served however many others wait. An exchange is never ended in favor of itself, so one may be
/// larger than a share.
final class ExchangeMemory: @unchecked Sendable {  // Used only on the loop's thread, except `memory`.
    /// An exchange whose memory is counted.
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

    /// The exchanges of one address or network, or all.
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

    /// Counts `more` bytes of an exchange, and ends those that have waited longest if they do not fit.
    ///
    /// - Parameters:
    ///   - more: The number of bytes.
    ///   - entry: The exchange. From ``entry(for:from:)``.
    ///   - end: Ends an exchange and removes its entry.
    func add(_ more: Int, to entry: Entry, end: (Exchange) -> Void) {
        for key in entry.keys {
            let limit = key.share(of: limit)
            while (shares[key]?.bytes ?? 0) + more > limit, let oldest = shares[key]?.oldest(before: entry) {
                end(oldest.exchange)
            }
        }
        while all.bytes + more > limit, let oldest = all.oldest(before: entry) { end(oldest.exchange) }
        entry.bytes += more
        all.bytes += more
        for key in entry.keys { shares[key]?.bytes += more }
        memory.add(more)
    }

    /// Creates the entry of an exchange. Clients that share a connection, behind a proxy, and those of a Unix socket have no
    /// share.
    func entry(for exchange: Exchange, from address: AddressKey?) -> Entry {
        let entry = Entry(exchange, keys: address?.all ?? [])
        all.append(entry)
        for key in entry.keys { shares[key, default: Share()].append(entry) }
        return entry
    }

    /// Removes an exchange that is complete or over.
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
