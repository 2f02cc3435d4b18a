import Crypto
import FoundationEssentials

/// One part of a ``SessionCache``, in two generations: what is asked for becomes young, and when there are enough young ones
/// all become old and what was old already goes. Bounded, and no order to keep on the hot path.
///
/// Entries are found by eight bytes of the hash, which keeps the table small; nobody can make two tokens whose hashes
/// begin alike, and if it happened by chance the later would take the place of the earlier.
struct SessionCacheShard {
    private let generationCapacity: Int
    private var entries: [UInt64: CachedSession] = [:]
    private var youngCount = 0
    /// How often something was removed on demand.
    var removals = 0
    /// The entries whose use is noted and not written; some may be gone, or written already.
    private(set) var unwritten: [CachedSession] = []

    init(generationCapacity: Int) {
        self.generationCapacity = generationCapacity
    }

    var count: Int { entries.count }

    /// The entry, without making it young.
    func entry(_ digest: SHA256Digest) -> CachedSession? {
        guard let entry = entries[digest.leadingWord], entry.digest == digest else { return nil }
        return entry
    }

    /// The entry, which is young from now on.
    mutating func find(_ digest: SHA256Digest, leavingTo uses: LastUses) -> CachedSession? {
        guard let entry = entry(digest) else { return nil }
        if !entry.isYoung {
            entry.isYoung = true
            makeRoom(leavingTo: uses)
            entry.isYoung = true
            youngCount += 1
        }
        return entry
    }

    mutating func insert(_ entry: CachedSession, leavingTo uses: LastUses) {
        makeRoom(leavingTo: uses)
        entries.updateValue(entry, forKey: entry.digest.leadingWord)?.leave(to: uses)
        youngCount += 1
        note(entry)
    }

    /// Remembers that the entry's use is to be written, if it is.
    mutating func note(_ entry: CachedSession) {
        if entry.unwrittenUse != nil { unwritten.append(entry) }
    }

    /// Forgets the entries whose use was written.
    mutating func forgetWritten() {
        unwritten.removeAll { $0.unwrittenUse == nil }
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

    /// Lets the old ones go when there are enough young ones; they become old.
    private mutating func makeRoom(leavingTo uses: LastUses) {
        guard youngCount >= generationCapacity else { return }
        removeAll { entry in
            guard !entry.isYoung else { return false }
            entry.leave(to: uses)
            return true
        }
        for entry in entries.values { entry.isYoung = false }
        youngCount = 0
    }
}

/// A session in memory; lives behind its part's lock. One object, as a table of such values would have room for half as
/// many again, and move them when it grows.
final class CachedSession {
    let digest: SHA256Digest
    private(set) var session: Session
    /// When the session ends, with uses that are noted and not yet on disk.
    private(set) var livesUntil: Date
    private var lastUsed: Date
    /// The first use that is not written.
    private var firstUnwritten: Date?
    var isYoung = true

    init(_ digest: SHA256Digest, _ session: Session, lastUsed: Date, livesUntil: Date, notedUse: Bool) {
        self.digest = digest
        self.session = session
        self.lastUsed = lastUsed
        self.livesUntil = livesUntil
        firstUnwritten = notedUse ? lastUsed : nil
    }

    /// The uses since the last that was written.
    var unwrittenUse: LastUses.Use? {
        firstUnwritten.map { LastUses.Use(first: $0, last: lastUsed) }
    }

    func isOf(_ person: UUID) -> Bool { session.person.id == person }

    /// Notes a use when the last one noted is a minute old or more; tells whether there was none to be written before.
    func recordUse(at now: Date, sliding: Duration) -> Bool {
        guard now.timeIntervalSince(lastUsed) >= LastUses.interval else { return false }
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

    func written(_ use: LastUses.Use) {
        guard firstUnwritten != nil else { return }
        firstUnwritten = lastUsed == use.last ? nil : use.last
    }

    /// Hands an unwritten use on, before the entry goes.
    func leave(to uses: LastUses) {
        guard let use = unwrittenUse else { return }
        uses.note(digest, use)
        firstUnwritten = nil
    }
}
