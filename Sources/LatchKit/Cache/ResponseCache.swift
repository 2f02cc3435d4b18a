import Database
import FoundationEssentials

/// Answers that servers gave to accounts of this device, for when they are asked for again or nobody can be asked.
///
/// One SQLite file with mode 0600, used by several programs at once; what is in it is found by the account's id first, so that
/// what one account got is never shown to another. It holds ``limit`` bytes at most: what was not used for the longest goes
/// first. A cache that cannot be read is thrown away and begun anew: it is never the reason why something fails.
///
/// Source: RM-9; RFC 9111.
actor ResponseCache {
    /// The most that is kept, in bytes of bodies and fields.
    static let limit = 64 << 20

    private let path: String
    private let limit: Int
    private var opened: Database?

    init(path: String, limit: Int = ResponseCache.limit) {
        self.path = path
        self.limit = limit
    }

    /// What is kept for a request of an account, and the mark that tells at ``keep(_:_:_:since:)`` whether anything was purged
    /// meanwhile.
    func find(_ account: UUID, _ address: String, _ request: HTTPHeaders, now: Date) async -> (StoredResponse?, Mark) {
        do {
            return try await database().write { connection in
                let mark = Mark(try connection.first(Self.selectPurges) ?? 0)
                let rows = try connection.all(Self.select, account, address)
                let fitting = rows.first { CacheRules.variant($0.varies, of: request) == $0.variant }
                if let fitting { try connection.run(Self.touch, now, account, address, fitting.variant) }
                return (fitting, mark)
            }
        } catch {
            await recover(from: error)
            return (nil, Mark(-1))
        }
    }

    /// Keeps an answer, in place of the one before; not when anything was purged since it was asked for.
    func keep(_ account: UUID, _ address: String, _ stored: StoredResponse, since mark: Mark) async {
        let limit = limit
        let headers = stored.answer.headers.map { [$0.name, $0.value] }
        let fields = JSON.encode(headers)
        let size = stored.answer.body.count + fields.count + address.utf8.count
        do {
            try await database().write { connection in
                guard try connection.first(Self.selectPurges) ?? 0 == mark.purges else { return }
                try connection.run(Self.remove, account, address, stored.variant)
                try connection.run(
                    Self.insert, account, address, stored.variant, stored.varies.joined(separator: ","),
                    String(decoding: fields, as: UTF8.self), stored.answer.body, stored.date, stored.freshUntil,
                    stored.date, size)
                var total = try connection.first(Self.total) ?? 0
                while total > limit, let oldest = try connection.first(Self.oldest) {
                    try connection.run(Self.removeRow, oldest.id)
                    total -= oldest.size
                }
            }
        } catch {
            await recover(from: error)
        }
    }

    /// Forgets an answer that no longer holds.
    func forget(_ account: UUID, _ address: String, _ stored: StoredResponse) async {
        _ = try? await database().write { try $0.run(Self.remove, account, address, stored.variant) }
    }

    /// Removes all that an account got; nil for every account's. Bytes and all: neither file nor log keeps them.
    func purge(_ account: UUID? = nil) async {
        guard opened != nil || FileManager.default.fileExists(atPath: path) else { return }
        do {
            try await purgeRows(account)
        } catch let error as DatabaseError where error.code == .moved {
            // Another program threw the file away and began a new one.
            await close()
            do { try await purgeRows(account) } catch { await discard() }
        } catch {
            // Nothing may be left, whatever the reason.
            await discard()
        }
    }

    private func purgeRows(_ account: UUID?) async throws {
        let database = try await database()
        try await database.write { connection in
            try connection.run(Self.countPurge)
            if let account { try connection.run(Self.purgeOne, account) } else { try connection.run(Self.purgeAll) }
        }
        try await database.checkpoint()
    }

    /// Closes the file.
    func close() async {
        await opened?.close()
        opened = nil
    }

    private func database() async throws -> Database {
        if let opened { return opened }
        var configuration = Database.Configuration(
            path: path, applicationID: ResponseSchema.applicationID, readerCount: 1, synchronousFull: false)
        configuration.overwritesDeleted = true
        let made = try await Database.open(configuration, migrations: ResponseSchema.migrations)
        if let opened {
            await made.close()
            return opened
        }
        opened = made
        return made
    }

    /// After a failure: a file that is no use is thrown away, one that was replaced is opened anew, and with any other the next
    /// call may succeed.
    private func recover(from error: any Error) async {
        guard let code = (error as? DatabaseError)?.code else { return }
        switch code {
        case .corrupt, .notADatabase, .newerThanProgram, .unexpectedValue: await discard()
        case .moved, .closed: await close()
        default: break
        }
    }

    /// Throws the file away.
    private func discard() async {
        await close()
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    /// How often anything was purged.
    struct Mark: Sendable, Equatable {
        let purges: Int
        init(_ purges: Int) { self.purges = purges }
    }
}
