import Crypto
import Database
import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

@Suite(.timeLimit(.minutes(20)))
struct SessionTests {
    @Test("invariant 1: a token is stored before it is sent, and only as its SHA-256", .onlySQLite)
    func durableBeforeSent() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let commits = fixture.gateway.stores.database.commitCount

            let token = try await fixture.token()

            // A reader of its own sees only what was committed.
            let otherProcess = try await fixture.otherProcess()
            let hash = SHA256.digest(token).bytes
            let stored = try await otherProcess.database.read { try $0.first(SessionStatements.find, hash) }
            await otherProcess.close()
            #expect(stored != nil)
            #expect(fixture.gateway.stores.database.commitCount > commits)
            let bytes = try fixture.databaseBytes()
            #expect(bytes.contains(hash))
            #expect(!bytes.leaks(token))
            let raw = try #require(Base64URL.decode(token))
            #expect(!bytes.leaks(raw))
        }
    }

    @Test("invariant 1: no token is sent if it cannot be committed")
    func notDurableNotSent() async throws {
        try await GatewayFixture.with { fixture in
            let person = try await fixture.addPerson()
            try await fixture.gateway.stores.people.setPassword(Secret("another horse 8"), of: person.id)

            // The person as read before the change: a sign-in that was under way.
            await #expect(throws: GatewayError.self) {
                try await fixture.gateway.issuer.issue(for: person, device: SessionDevice())
            }

            #expect(try await fixture.gateway.stores.sessions.list().isEmpty)
        }
    }

    @Test("invariant 2: a session revoked here is refused at once, also from the cache")
    func revokedHere() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            #expect(try await fixture.me(token).status == 200)
            let session = try #require(try await fixture.gateway.stores.sessions.list().first)

            try await fixture.gateway.stores.sessions.revoke(session.id)

            let response = try await fixture.me(token)
            #expect(response.status == 403)
            #expect(response.json?["error_code"]?.string == "SESSION_TERMINATED")
            #expect(try await fixture.gateway.stores.sessions.list().first?.endReason == .revoked)
        }
    }

    @Test("invariant 2: a session revoked by another process is refused after the gateway's next check")
    func revokedElsewhere() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            #expect(try await fixture.me(token).status == 200)
            let otherProcess = try await fixture.otherProcess()
            let session = try #require(try await otherProcess.sessions.list().first)

            try await otherProcess.sessions.revoke(session.id)
            await fixture.gateway.detectExternalWrites()

            #expect(try await fixture.me(token).json?["error_code"]?.string == "SESSION_TERMINATED")
            await otherProcess.close()
        }
    }

    @Test("invariant 2: a running gateway checks periodically")
    func periodicCheck() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            let gateway = fixture.gateway
            let upkeep = Task { try await gateway.run() }
            let otherProcess = try await fixture.otherProcess()
            let session = try #require(try await otherProcess.sessions.list().first)

            try await otherProcess.sessions.revoke(session.id)

            while try await fixture.me(token).status == 200 { try Task.checkCancellation() }
            upkeep.cancel()
            _ = await upkeep.result
            await otherProcess.close()
        }
    }

    @Test("invariant 2: the documented bound holds while another process locks the database", .onlySQLite)
    func boundUnderLock() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            #expect(try await fixture.me(token).status == 200)
            let gateway = fixture.gateway
            await gateway.detectExternalWrites()
            let otherProcess = try await fixture.otherProcess()
            let session = try #require(try await otherProcess.sessions.list().first).id.rawValue
            let now = fixture.clock.now
            let lock = Gate { held in
                try await otherProcess.database.write { connection in
                    held()
                    _ = try connection.first(
                        SessionStatements.endByID, now, SessionEndReason.revoked.rawValue, session, now)
                }
            }
            await lock.closed()
            // The one thread that could tell whether another process wrote waits for that process's lock.
            async let waiting = fixture.login()

            let noticing = Task { await gateway.detectExternalWrites() }
            try await until { !gateway.stores.lease.isValid }
            // Read from the database, because the session in memory may not be used.
            #expect(gateway.issuer.cachedAuthentication(token) == nil)
            #expect(try await fixture.me(token).status == 200)

            lock.open()
            await noticing.value
            // On a busy machine the call above may have ended before the lock was in its way.
            await gateway.detectExternalWrites()
            #expect(try await fixture.me(token).json?["error_code"]?.string == "SESSION_TERMINATED")
            #expect(try await waiting.status == 200)
            await otherProcess.close()
        }
    }

    @Test("the four reasons on /me: no token, expired, ended, unknown")
    func reasons() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let expired = try await fixture.token()
            fixture.clock.advance(7 * day)
            let ended = try await fixture.token()
            #expect(try await fixture.logout(ended).status == 204)

            #expect(try await fixture.me(nil).text == #"{"detail":"Unauthorized"}"#)
            #expect(try await fixture.me(nil).status == 403)
            #expect(try await fixture.me("a.token.with-dots").text == #"{"detail":"Unauthorized"}"#)
            for (token, code) in [
                (expired, "SESSION_EXPIRED"), (ended, "SESSION_TERMINATED"),
                (Base64URL.encode(SecureRandom.bytes(32)), "SESSION_UNRECOGNIZED"), ("short", "SESSION_UNRECOGNIZED"),
            ] {
                let response = try await fixture.me(token)
                #expect(response.status == 403)
                #expect(response.json?["error_code"]?.string == code)
                #expect(response.json?["detail"]?.string?.isEmpty == false)
            }
        }
    }

    @Test("refresh and logout without a valid session get 401 with the same body")
    func unauthorized() async throws {
        try await GatewayFixture.with { fixture in
            for token in [nil, "short", Base64URL.encode(SecureRandom.bytes(32))] {
                for response in [try await fixture.refresh(token), try await fixture.logout(token)] {
                    #expect(response.status == 401)
                    #expect(response.text == #"{"detail":"Unauthorized"}"#)
                    #expect(response.headers["WWW-Authenticate"] == "Bearer")
                }
            }
        }
    }

    @Test("use extends a session once a minute, after the request, up to its maximum")
    func sliding() async throws {
        try await GatewayFixture.with {
            $0.sessions.maximum = .seconds(10 * day)
        } _: { fixture in
            try await fixture.addPerson()
            let start = fixture.clock.now
            let token = try await fixture.token()

            fixture.clock.advance(6 * day)
            try await fixture.gateway.attempts.flush()
            let writes = fixture.gateway.stores.database.writeCount
            for _ in 0..<5 { #expect(try await fixture.me(token).status == 200) }
            #expect(fixture.gateway.stores.database.writeCount == writes)
            // What is told is what a crash now would leave.
            #expect(try await fixture.expiry(token) == Timestamp.text(start + .seconds(7 * day)))

            await fixture.gateway.flush()
            #expect(fixture.gateway.stores.database.writeCount == writes + 1)
            #expect(try await fixture.expiry(token) == Timestamp.text(start + .seconds(10 * day)))
            await fixture.gateway.flush()
            #expect(fixture.gateway.stores.database.writeCount == writes + 1)

            fixture.clock.advance(4 * day - 1)
            #expect(try await fixture.me(token).status == 200)
            fixture.clock.advance(1)
            #expect(try await fixture.me(token).json?["error_code"]?.string == "SESSION_EXPIRED")
            #expect(try await fixture.refresh(token).status == 401)
        }
    }

    @Test("a use that is not yet written extends the session, also if the cache was cleared")
    func unwrittenUse() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            fixture.clock.advance(7 * day - 1)
            #expect(try await fixture.me(token).status == 200)
            fixture.clock.advance(2)

            #expect(try await fixture.me(token).status == 200)
            fixture.gateway.issuer.invalidateAll()
            #expect(try await fixture.me(token).status == 200)
            #expect(try await fixture.refresh(token).status == 200)
        }
    }

    @Test("a refresh extends the session at once")
    func refreshExtends() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            fixture.clock.advance(30)

            #expect(try await fixture.refresh(token).token == token)

            #expect(try await fixture.expiry(token) == Timestamp.text(fixture.clock.now + .seconds(7 * day)))
        }
    }

    @Test("a refresh during a sign-out never restores the session")
    func refreshAgainstLogout() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            for _ in 0..<20 {
                let token = try await fixture.token()
                let statuses = try await withThrowingTaskGroup { group in
                    for _ in 0..<4 { group.addTask { try await fixture.refresh(token).status } }
                    group.addTask { try await fixture.logout(token).status }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.contains(204))
                #expect(try await fixture.me(token).json?["error_code"]?.string == "SESSION_TERMINATED")
                #expect(try await fixture.refresh(token).status == 401)
            }
        }
    }

    @Test("a refresh that began with a cached valid session does not extend one that has ended since")
    func refreshDecidesInTheDatabase() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            #expect(try await fixture.me(token).status == 200)
            let otherProcess = try await fixture.otherProcess()
            let before = try #require(try await otherProcess.sessions.list().first)
            try await otherProcess.sessions.revoke(before.id)
            fixture.clock.advance(hour)

            // The gateway has not noticed: its memory still says that the session lives.
            #expect(try await fixture.refresh(token).status == 401)

            let after = try #require(try await otherProcess.sessions.list().first)
            #expect(after.expires == before.expires)
            #expect(after.endReason == .revoked)
            await otherProcess.close()
        }
    }

    @Test("a session that is read while it ends is not cached as valid")
    func lateInsert() async throws {
        let cache = SessionCache(lifetime: SessionLifetime())
        let digest = SHA256.digest("a token")
        let session = Session.sample()
        let late = cache.ticket(for: digest)
        cache.remove(digest)

        cache.insert(digest, session, lastUsed: session.created, livesUntil: session.expires, ticket: late)
        #expect(cache.use(digest, at: session.created) == nil)

        cache.insert(
            digest, session, lastUsed: session.created, livesUntil: session.expires, ticket: cache.ticket(for: digest))
        #expect(cache.use(digest, at: session.created) == session)
    }

    @Test("the cache has a bounded number of sessions, and used ones stay")
    func boundedCache() async throws {
        let cache = SessionCache(lifetime: SessionLifetime(), capacity: 3_200)
        let session = Session.sample()
        let used = SHA256.digest("the one in use")
        for index in 0..<20_000 {
            let digest = index == 0 ? used : SHA256.digest("token \(index)")
            cache.insert(
                digest, session, lastUsed: session.created, livesUntil: session.expires,
                ticket: cache.ticket(for: digest))
            _ = cache.use(used, at: session.created)
        }
        #expect(cache.count <= 3_200)
        #expect(cache.use(used, at: session.created) != nil)
    }

    @Test("a use is written even if its session left the cache, or was used again during the write")
    func usesOfEvictedEntries() {
        let left = UnwrittenUses()
        let cache = SessionCache(lifetime: SessionLifetime(), capacity: 3_200, evictedUses: left)
        let session = Session.sample()
        let later = session.created + 61
        let digests = (0..<10_000).map { SHA256.digest("token \($0)") }
        for digest in digests {
            cache.insert(
                digest, session, lastUsed: session.created, livesUntil: session.expires,
                ticket: cache.ticket(for: digest))
            #expect(cache.use(digest, at: later) != nil)
        }
        let inMemory = cache.unwrittenUses
        #expect(inMemory.count == cache.count)
        #expect(Set((inMemory + left.pending()).map(\.digest)) == Set(digests))

        let last = digests[9_999]
        #expect(cache.use(last, at: later + 61) != nil)
        cache.written(inMemory)
        #expect(cache.pending(last) == UnwrittenUses.Use(first: later, last: later + 61))
        #expect(cache.unwrittenUses.map(\.digest) == [last])
        cache.removeAll()
        #expect(left.pending(last) == UnwrittenUses.Use(first: later, last: later + 61))
    }

    @Test("100,000 sessions of as many people use less than 64 MiB of memory")
    func memoryOfCache() async {
        // In a process of its own, where nothing else takes memory.
        await #expect(processExitsWith: .success) {
            let cache = SessionCache(lifetime: SessionLifetime())
            let before = try residentBytes()
            for index in 0..<100_000 {
                let digest = SHA256.digest("token \(index)")
                let session = Session.sample("somebody.with.a.name.\(index)@example.org")
                cache.insert(
                    digest, session, lastUsed: session.created, livesUntil: session.expires,
                    ticket: cache.ticket(for: digest))
            }
            let used = try residentBytes() - before
            #expect(cache.count > 90_000)
            #expect(used < 64 << 20)
        }
    }

    @Test("a use that was not written before its session ended causes one more write, not one at every flush")
    func useBeforeSignOut() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            let token = try await fixture.token()
            fixture.clock.advance(day)
            _ = try await fixture.logout(token)
            await fixture.gateway.flush()
            let writes = fixture.gateway.stores.database.writeCount
            await fixture.gateway.flush()
            #expect(fixture.gateway.stores.database.writeCount == writes)
        }
    }

    @Test("sessions that ended long ago are deleted and become unknown, others stay")
    func purge() async throws {
        try await GatewayFixture.with {
            $0.sessions.rememberEnded = .seconds(30 * day)
        } _: { fixture in
            try await fixture.addPerson()
            let ended = try await fixture.token()
            _ = try await fixture.logout(ended)
            let expired = try await fixture.token()
            fixture.clock.advance(20 * day)
            let live = try await fixture.token()

            await fixture.gateway.purge()
            #expect(try await fixture.me(ended).json?["error_code"]?.string == "SESSION_TERMINATED")
            fixture.clock.advance(7 * day - 1)
            #expect(try await fixture.me(live).status == 200)
            fixture.clock.advance(4 * day)
            await fixture.gateway.purge()
            #expect(try await fixture.me(ended).json?["error_code"]?.string == "SESSION_UNRECOGNIZED")
            fixture.clock.advance(6 * day + 2)
            await fixture.gateway.flush()
            await fixture.gateway.purge()
            #expect(try await fixture.me(expired).json?["error_code"]?.string == "SESSION_UNRECOGNIZED")
            #expect(try await fixture.gateway.stores.sessions.list().map(\.id).count == 1)
        }
    }

    @Test("a list of sessions contains device, times and state")
    func list() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            _ = try await fixture.login(headers: [("deviceModel", "Ada's\u{202E} laptop"), ("deviceType", "Linux")])
            _ = try await fixture.login(headers: [("User-Agent", String(repeating: "x", count: 500))])
            let start = fixture.clock.now
            fixture.clock.advance(7 * day)
            let live = try await fixture.login(headers: [("User-Agent", "latch/1")])
            _ = try await fixture.me(live.token)

            let list = try await fixture.gateway.stores.sessions.list()

            #expect(Set(list.map(\.device.name)) == ["Ada's laptop", String(repeating: "x", count: 80), "latch/1"])
            #expect(list.first { $0.device.name == "Ada's laptop" }?.device.kind == "Linux")
            #expect(list.map { $0.state(at: fixture.clock.now) } == [.expired, .expired, .live])
            #expect(list.allSatisfy { $0.email == GatewayFixture.email && $0.id.rawValue.utf8.count == 12 })
            #expect(list.first?.created == start)
            #expect(list.first?.expires == start + .seconds(7 * day))
        }
    }

    @Test("control characters in a device's name are removed, and a long name is truncated")
    func deviceNames() {
        #expect(SessionDevice(name: " a\u{0}\u{1B}[31mb\u{2028}\n\u{9B}c ", kind: "\t").name == "a[31mbc")
        #expect(SessionDevice(name: nil, kind: "\t").kind == nil)
        #expect(SessionDevice(name: String(repeating: "👩‍👩‍👧", count: 500)).name?.count ?? 0 <= 80)
    }

    @Test("revoking an unknown or ended session says so")
    func revokeUnknown() async throws {
        try await GatewayFixture.with { fixture in
            let error = await #expect(throws: GatewayError.self) {
                try await fixture.gateway.stores.sessions.revoke(SessionID(rawValue: "nosuchid0000"))
            }
            #expect(error?.code == .unknownSession)
            #expect(error?.message.contains("nosuchid0000") == true)
        }
    }
}

extension Session {
    static func sample(_ email: String = GatewayFixture.email) -> Session {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        let person = Person(
            id: UUID(), email: email, name: nil, created: now, sessionEpoch: 0, disabled: nil, isAdministrator: false,
            isVerified: false)
        return Session(
            id: .random(), person: person, created: now, expires: now + .seconds(day), cap: now + .seconds(90 * day))
    }
}

extension GatewayFixture {
    func expiry(_ token: String) async throws -> String? {
        try await me(token).json?["token_expires_at"]?.string
    }

    /// The bytes of the database and of its log.
    func databaseBytes() throws -> [UInt8] {
        var bytes: [UInt8] = []
        for suffix in ["", "-wal"] {
            bytes += (try? Array(Data(contentsOf: URL(filePath: databasePath + suffix)))) ?? []
        }
        return bytes
    }
}

extension [UInt8] {
    /// Whether `other` stands somewhere in this.
    func contains(_ other: [UInt8]) -> Bool {
        guard let first = other.first, count >= other.count else { return false }
        for start in 0...(count - other.count) where self[start] == first {
            if self[start..<start + other.count].elementsEqual(other) { return true }
        }
        return false
    }
}

/// How much of this process is in memory.
///
/// Source: `proc(5)`, `/proc/pid/statm`.
private func residentBytes() throws -> Int {
    let text = try String(decoding: Data(contentsOf: URL(filePath: "/proc/self/statm")), as: UTF8.self)
    return try #require(Int(text.split(separator: " ")[1])) * 4_096
}
