import Crypto
import Database
import Foundation
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway
@testable import SignInBridge

@Suite("Ends of clients' sessions, and what is stored of them", .timeLimit(.minutes(20)))
struct ClientSessionEndTests {
    @Test("any token of a client ends its session, also a replaced one")
    func ended() async throws {
        try await ClientSessionFixture.with { fixture in
            let sessions = [try await fixture.issue(), try await fixture.issue(), try await fixture.issue()]
            let old = sessions[2].refreshToken
            let tokens = [sessions[0].accessToken, sessions[1].refreshToken, old]
            #expect(try await fixture.access(try await fixture.renewed(old).accessToken) != nil)
            for (token, session) in zip(tokens, sessions) {
                #expect(try await fixture.store.end(token.reveal(), of: "mail") == nil)
                #expect(try await fixture.access(session.accessToken) != nil)
                let ended = try #require(try await fixture.store.end(token.reveal(), of: "notes"))
                #expect(ended.session == session.session && ended.person == fixture.person.id)
                #expect(try await fixture.access(session.accessToken) == nil)
                #expect(try await fixture.session(session.session).endReason == .signedOut)
                #expect(try await fixture.store.end(token.reveal(), of: "notes") == nil)
            }
            #expect(try await fixture.store.end("unknown", of: "notes") == nil)
        }
    }

    @Test("the end of a token without a live session of the client needs no write")
    func endedAlready() async throws {
        try await ClientSessionFixture.with { fixture in
            let (over, live) = (try await fixture.issue(), try await fixture.issue())
            for token in over.texts { _ = try await fixture.store.end(token, of: "notes") }

            let database = fixture.stores.database
            let gate = Gate { held in try await database.write { _ in held() } }
            await gate.closed()
            for token in over.texts + [String(repeating: "x", count: 43)] {
                #expect(try await fixture.store.end(token, of: "notes") == nil)
            }
            for token in live.texts { #expect(try await fixture.store.end(token, of: "mail") == nil) }
            gate.open()
            #expect(try await fixture.store.end(live.refreshToken.reveal(), of: "notes") != nil)
        }
    }

    @Test("a code that is sent again ends the session that it was exchanged for, and no other")
    func code() async throws {
        try await ClientSessionFixture.with { fixture in
            func end(_ session: SessionID) async throws -> EndedSession? {
                try await fixture.store.endSession(ofReusedCode: session, by: ClientSessionFixture.client("notes"))
            }
            let tokens = try await fixture.issue()
            let browser = try await fixture.base.gateway.issuer.issue(for: fixture.person, device: SessionDevice())
            #expect(try await end(browser.session) == nil)
            #expect(try await end(.random()) == nil)

            let ended = try #require(try await end(tokens.session))
            #expect(ended.person == fixture.person.id)
            #expect(try await fixture.session(tokens.session).endReason == .tokenReused)
            #expect(try await fixture.access(tokens.accessToken) == nil)
            #expect(try await end(tokens.session) == nil)
            #expect(try await fixture.session(browser.session).endReason == nil)
            #expect(fixture.revocations == ["code-reused"])
        }
    }

    @Test("a repeated code ends a session only for the client that got the code, and for a public one within 5 minutes")
    func codeOfAnotherClient() async throws {
        try await ClientSessionFixture.with { fixture in
            let hash = SHA256.digest("a secret")
            func ends(_ tokens: ClientTokens, _ id: String, isConfidential: Bool) async throws -> Bool {
                let client = RegisteredClient(
                    id: id, name: id, secretHash: isConfidential ? hash : nil, redirects: [])
                return try await fixture.store.endSession(ofReusedCode: tokens.session, by: client) != nil
            }
            let first = try await fixture.issue()
            #expect(try await !ends(first, "other", isConfidential: true))
            #expect(try await !ends(first, "Notes", isConfidential: true))
            fixture.clock.advance(299)
            #expect(try await ends(first, "notes", isConfidential: false))

            let second = try await fixture.issue()
            fixture.clock.advance(300)
            #expect(try await !ends(second, "notes", isConfidential: false))
            fixture.clock.advance(day)
            #expect(try await ends(second, "notes", isConfidential: true))
        }
    }

    @Test("a session that a second request with the same code would start is ended instead")
    func codeUsedTwice() async throws {
        try await ClientSessionFixture.with { fixture in
            let id = SessionID(ofCode: "a code")
            func issue() async throws -> ClientTokens {
                try await fixture.store.issue(
                    ClientSessionFixture.grant, to: ClientSessionFixture.client("notes"), for: fixture.person,
                    device: SessionDevice(), id: id, authenticated: fixture.clock.now, from: nil)
            }
            let tokens = try await issue()
            let error = await #expect(throws: GatewayError.self) { _ = try await issue() }
            #expect(error?.code == .codeUsed)
            #expect(try await fixture.access(tokens.accessToken) == nil)
            #expect(try await fixture.session(id).endReason == .tokenReused)
            #expect(fixture.revocations == ["code-reused"])
        }
    }

    @Test("a further session than allowed ends the oldest one, also that of a client")
    func tooMany() async throws {
        try await ClientSessionFixture.with({ $0.sessions.maximumPerPerson = 2 }) { fixture in
            var sessions: [ClientTokens] = []
            for _ in 0..<3 {
                sessions.append(try await fixture.issue())
                fixture.clock.advance(1)
            }
            #expect(try await fixture.access(sessions[0].accessToken) == nil)
            #expect(try await fixture.session(sessions[0].session).endReason == .tooManySessions)
            #expect(fixture.revocations == ["too-many-sessions"])
            for tokens in sessions[1...] { #expect(try await fixture.access(tokens.accessToken) != nil) }
        }
    }

    @Test("expired access tokens are deleted, and the rest with their session")
    func purged() async throws {
        try await ClientSessionFixture.with { fixture in
            let old = try await fixture.issue()
            fixture.clock.advance(600)
            try await fixture.purge()
            #expect(try await fixture.count("access_tokens") == 1, "Another gateway's clock may be late.")
            fixture.clock.advance(61)
            let new = try await fixture.issue()
            try await fixture.purge()
            #expect(try await fixture.count("access_tokens") == 1)
            #expect(try await fixture.access(new.accessToken) != nil)
            // Only the access tokens of the last three refresh tokens are kept.
            var token = old.refreshToken
            for _ in 0..<5 { token = try await fixture.renewed(token).refreshToken }
            #expect(try await fixture.count("access_tokens") == 1 + 3)

            fixture.clock.advance(40 * day)
            try await fixture.stores.sessions.purge(olderThan: .seconds(30 * day))
            for table in ["access_tokens", "client_sessions"] { #expect(try await fixture.count(table) == 0) }
        }
    }

    @Test("OX-6 two gateways that get one refresh token at the same time respond with the same tokens")
    func twoGateways() async throws {
        try await ClientSessionFixture.with { fixture in
            let other = try await fixture.base.otherGateway()
            let stores = [fixture.store, try #require(other.services.clientSessions)]
            var current = try await fixture.issue()
            for round in 0..<8 {
                let token = current.refreshToken.reveal()
                let access = current.accessToken.reveal()
                let results = try await withThrowingTaskGroup(of: ClientTokens?.self) { group in
                    for number in 0..<20 {
                        group.addTask {
                            try await stores[number % 2].refresh(token, of: ClientSessionFixture.client()).tokens
                        }
                        // The first use of the tokens before it, at the same time.
                        group.addTask {
                            let isValid = try await stores[(number + round) % 2].authenticate(access) != nil
                            #expect(isValid)
                            return nil
                        }
                    }
                    return try await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
                }
                #expect(results.count == 20 && Set(results.map(\.texts)).count == 1)
                current = try #require(results.first)
            }
            #expect(fixture.revocations == [])
            #expect(try await fixture.access(current.accessToken) != nil)
            await other.close()
        }
    }

    @Test("a stolen database contains no token, and nothing that opens the stored response")
    func stolenDatabase() async throws {
        try await ClientSessionFixture.with { fixture in
            let key = try #require(fixture.base.gateway.services.keys?.refresh)
            let first = try await fixture.issue()
            let second = try await fixture.renewed(first.refreshToken)
            let secret = try await fixture.stores.clients.add(
                name: "A", redirects: ["a:/b"], isConfidential: true
            ).secret

            let path = fixture.base.folder.file("stolen.db")
            _ = try await DatabaseBackup.write(fixture.stores.database, to: path)
            let stolen = try Array(Data(contentsOf: URL(filePath: path)))
            for text in first.texts + second.texts + [try #require(secret?.reveal())] {
                #expect(!stolen.leaks(text))
                #expect(!stolen.leaks(try #require(Base64URL.decode(text))))
            }

            let id = first.session.rawValue
            let row = try #require(
                try await fixture.stores.database.read { try $0.first(ClientSessionStatements.find, id) })
            let answer = try #require(row.nextAnswer)
            let tokens = try [first, second].map { try #require(RefreshToken($0.refreshToken.reveal(), key: key)) }
            #expect(SealedAnswer(opening: answer, with: tokens[0])?.refreshToken == second.refreshToken)
            #expect(SealedAnswer(opening: answer, with: tokens[1]) == nil)
            for token in tokens { #expect(!stolen.leaks(token.answerKey.withBytes { Array($0) })) }
            // The gateway's key alone does not help either.
            let stored = [row.refreshHash, try #require(row.nextHash), key.withBytes { Array($0) }]
            for bytes in stored + tokens.map(\.hash) {
                #expect(throws: (any Error).self) {
                    try Sealing.open(answer, key: Secret(bytes: bytes), context: Array(id.utf8))
                }
            }
        }
    }
}
