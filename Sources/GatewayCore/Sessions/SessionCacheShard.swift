import Crypto
import FoundationEssentials

/// One part of a ``SessionCache``, with two generations of entries. An entry becomes young when it is used. When there
/// are enough young entries, the old entries are evicted and all young ones become old. So the size is bounded, and the
/// hot path maintains no order.
///
/// Entries are keyed by eight bytes of the hash, which keeps the table small. Tokens whose hashes begin alike cannot be
/// made on purpose. If this happens by chance, the later entry replaces the earlier one.
struct SessionCacheShard {
    private let generationCapacity: Int
    private var entries: [UInt64: CachedSession] = [:]
    private var youngCount = 0
    /// The number of explicit removals, which does not include evictions.
    var removals = 0
    /// The entries with an unwritten use. Some of them may already be evicted or written.
    private(set) var unwritten: [CachedSession] = []

    init(generationCapacity: Int) {
        self.generationCapacity = generationCapacity
    }

    var count: Int { entries.count }

    /// Returns an entry without making it young.
    func entry(_ digest: SHA256Digest) -> CachedSession? {
        guard let entry = entries[digest.leadingWord], entry.digest == digest else { return nil }
        return entry
    }

    /// Returns an entry and makes it young.
    mutating func find(_ digest: SHA256Digest, evictingInto uses: UnwrittenUses) -> CachedSession? {
        guard let entry = entry(digest) else { return nil }
        if !entry.isYoung {
            // Young before evicting, so that this entry survives; young again after, because evicting makes all entries
            // old.
            entry.isYoung = true
            makeRoom(evictingInto: uses)
            entry.isYoung = true
            youngCount += 1
        }
        return entry
    }

    mutating func insert(_ entry: CachedSession, evictingInto uses: UnwrittenUses) {
        makeRoom(evictingInto: uses)
        entries.updateValue(entry, forKey: entry.digest.leadingWord)?.moveUses(to: uses)
        youngCount += 1
        record(entry)
    }

    /// Adds an entry to ``unwritten`` if it has an unwritten use.
    mutating func record(_ entry: CachedSession) {
        if entry.unwrittenUse != nil { unwritten.append(entry) }
    }

    /// Removes the entries whose uses were written from ``unwritten``.
    mutating func removeWritten() {
        unwritten.removeAll { $0.unwrittenUse == nil }
        // An emptied array keeps its capacity.
        if unwritten.isEmpty { unwritten = [] }
    }

    mutating func remove(_ digest: SHA256Digest) -> CachedSession? {
        guard let entry = entry(digest) else { return nil }
        entries[digest.leadingWord] = nil
        if entry.isYoung { youngCount -= 1 }
        return entry
    }

    mutating func removeAll(where isGoing: (CachedSession) -> Bool) {
        entries = entries.filter { !isGoing($0.value) }
        youngCount = entries.values.count(where: \.isYoung)
    }

    /// Evicts the old entries when there are enough young ones, which become old.
    private mutating func makeRoom(evictingInto uses: UnwrittenUses) {
        guard youngCount >= generationCapacity else { return }
        removeAll { entry in
            guard !entry.isYoung else { return false }
            entry.moveUses(to: uses)
            return true
        }
        for entry in entries.values { entry.isYoung = false }
        youngCount = 0
    }
}

/// A cached session, which is protected by the lock of its part. It is a class, because a table of such structs would
/// reserve space for half as many again, and move them when it grows.
final class CachedSession {
    let digest: SHA256Digest
    private(set) var session: Session
    /// When the session expires, including recorded uses that are not yet on disk.
    private(set) var livesUntil: Date
    private var lastUsed: Date
    /// The first unwritten use; nil when all uses are written.
    private var firstUnwritten: Date?
    var isYoung = true

    init(_ digest: SHA256Digest, _ session: Session, lastUsed: Date, livesUntil: Date, hasUnwrittenUse: Bool) {
        self.digest = digest
        self.session = session
        self.lastUsed = lastUsed
        self.livesUntil = livesUntil
        firstUnwritten = hasUnwrittenUse ? lastUsed : nil
    }

    /// The unwritten uses; nil when all uses are written.
    var unwrittenUse: UnwrittenUses.Use? {
        firstUnwritten.map { UnwrittenUses.Use(first: $0, last: lastUsed) }
    }

    func isOf(_ person: UUID) -> Bool { session.person.id == person }

    /// Records a use if the last recorded one is at least a minute old. Returns whether it is the first unwritten use.
    func recordUse(at now: Date, sliding: Duration) -> Bool {
        guard now.timeIntervalSince(lastUsed) >= UnwrittenUses.interval else { return false }
        lastUsed = now
        livesUntil = max(livesUntil, min(now + sliding, session.cap))
        guard firstUnwritten == nil else { return false }
        firstUnwritten = now
        return true
    }

    func extend(to written: Date) {
        let expires = min(written, session.cap)
        session.expires = max(session.expires, expires)
        livesUntil = max(livesUntil, expires)
    }

    func written(_ use: UnwrittenUses.Use) {
        guard firstUnwritten != nil else { return }
        // A use during the write is still unwritten. Its first moment is the written one, which the database knows.
        firstUnwritten = lastUsed == use.last ? nil : use.last
    }

    /// Moves the unwritten uses to `uses`, before the entry is removed.
    func moveUses(to uses: UnwrittenUses) {
        guard let use = unwrittenUse else { return }
        uses.record(digest, use)
        firstUnwritten = nil
    }
}
