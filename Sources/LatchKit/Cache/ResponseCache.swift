import Database
import FoundationEssentials
import HTTPMessages

/// A cache of the responses that servers sent to the accounts of this device. They are used for repeated requests and
/// when a server cannot be reached.
///
/// The cache is an SQLite file with mode 0600 that several programs use at the same time. Every lookup is by account
/// id, so a response is never returned to another account. The cache holds at most ``limit`` bytes, and the least
/// recently used responses are removed first. A cache that cannot be read is deleted and created again. It never makes
/// an operation fail.
///
/// Source: RM-9; RFC 9111.
actor ResponseCache {
    /// The maximum size of all stored responses, in bytes of bodies, header fields and addresses.
    static let limit = 64 << 20

    private let path: String
    private let limit: Int
    private var opened: Database?

    init(path: String, limit: Int = ResponseCache.limit) {
        self.path = path
        self.limit = limit
    }

    /// Returns the stored response for a request of an account. Also returns a mark, with which
    /// ``store(_:from:for:since:)`` detects that the cache was purged meanwhile.
    func find(_ address: String, for account: UUID, request: HTTPHeaders, now: Date) async -> (StoredResponse?, Mark) {
        do {
            // A write, because eviction needs the last use.
            return try await database().write { connection in
                let mark = Mark(try connection.first(Self.selectPurges) ?? 0)
                let rows = try connection.all(Self.select, account, address)
                let fitting = rows.first { CacheRules.variant($0.varies, of: request) == $0.variant }
                if let fitting { try connection.run(Self.touch, now, account, address, fitting.variant) }
                return (fitting, mark)
            }
        } catch {
            await recover(from: error)
            return (nil, Mark(-1))  // Never equal, so nothing is stored.
        }
    }

    /// Stores a response and replaces the previous one. Does nothing if the cache was purged since the request began.
    func store(_ stored: StoredResponse, from address: String, for account: UUID, since mark: Mark) async {
        let limit = limit
        let headers = stored.response.headers.map { [$0.name, $0.value] }
        let fields = JSON.encode(headers)
        let size = stored.response.body.count + fields.count + address.utf8.count
        do {
            try await database().write { connection in
                guard try connection.first(Self.selectPurges) ?? 0 == mark.purges else { return }
                try connection.run(Self.remove, account, address, stored.variant)
                try connection.run(
                    Self.insert, account, address, stored.variant, stored.varies.joined(separator: ","),
                    String(decoding: fields, as: UTF8.self), stored.response.body, stored.date, stored.freshUntil,
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

    /// Removes a response that is no longer valid.
    func removeResponse(_ stored: StoredResponse, from address: String, for account: UUID) async {
        _ = try? await database().write { try $0.run(Self.remove, account, address, stored.variant) }
    }

    /// Removes all responses of an account, or of all accounts when `account` is nil. Their bytes are overwritten in
    /// the file and removed from the write-ahead log.
    func purge(_ account: UUID? = nil) async {
        // Opening the database would create the file.
        guard opened != nil || FileManager.default.fileExists(atPath: path) else { return }
        do {
            try await purgeRows(account)
        } catch let error as DatabaseError where error.code == .moved {
            // Another program has deleted the file and created a new one.
            await close()
            do { try await purgeRows(account) } catch { await discard() }
        } catch {
            // No response may remain after any error.
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
        let configuration = Database.Configuration(
            path: path, applicationID: ResponseSchema.applicationID, readerCount: 1, synchronousFull: false)
        let made = try await Database.open(configuration, migrations: ResponseSchema.migrations)
        // Another call may have opened it during the await.
        if let opened {
            await made.close()
            return opened
        }
        opened = made
        return made
    }

    /// Recovers from an error. A file that cannot be used is deleted, and one that was replaced is opened again. After
    /// other errors the next call may succeed.
    private func recover(from error: any Error) async {
        guard let code = (error as? DatabaseError)?.code else { return }
        switch code {
        case .corrupt, .notADatabase, .newerThanProgram, .unexpectedValue: await discard()
        case .moved, .closed: await close()
        default: break
        }
    }

    /// Deletes the file.
    private func discard() async {
        await close()
        // All three files, or SQLite would replay the old log.
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    /// The number of purges so far.
    struct Mark: Sendable, Equatable {
        let purges: Int
        init(_ purges: Int) { self.purges = purges }
    }
}
