import Foundation
import Testing

@testable import LatchKit

/// What goes wrong between here and a server, at each thing that is asked of it, whatever the dialect.
@Suite(.timeLimit(.minutes(5))) struct FamilyFaultTests {
    /// What a server answers while something is wrong; its own words are what the rules say.
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let codes: Set<LatchError.Code>
        let answer: @Sendable (_ own: ScriptedServer.Answer) -> ScriptedServer.Answer
        var testDescription: String { name }
    }

    static let faults = [
        Fault(name: "the connection is closed without a word", codes: [.connectionLost]) { _ in .silence },
        Fault(name: "502 of a proxy", codes: [.serverError]) { _ in .page(502) },
        Fault(name: "503 in JSON", codes: [.serverError]) { _ in .json(#"{"error":"x"}"#, 503) },
        Fault(name: "a page of sign-in, 200", codes: [.foreignAnswer]) { _ in .page(200) },
        Fault(name: "cut in the middle of the body", codes: [.connectionLost, .serverError, .foreignAnswer]) { own in
            var cut = own
            cut.missing = 1_000
            return cut
        },
        Fault(name: "cut in the middle of the JSON", codes: [.foreignAnswer]) { _ in .json(#"{"access_token":"x","#) },
    ]

    @Test("a fault while a server is looked for is told, and nothing is kept", arguments: Family.all, faults)
    func probe(_ family: Family, _ fault: Fault) async throws {
        let world = try await family.make()
        let latch = try await world.home.open()
        world.wire.script { fault.answer(world.rules($0)) }
        let error = try await #require(throws: LatchError.self) { try await world.find(latch, .init()) }
        #expect(error.message.contains("127.0.0.1"), "\(error)")
        #expect(try await latch.accounts.rowIDs().isEmpty)
        await latch.close()
        await world.stop()
    }

    @Test("a fault during a sign-in is told, makes no account, and the next one works", arguments: Family.all, faults)
    func signIn(_ family: Family, _ fault: Fault) async throws {
        let world = try await family.make()
        let latch = try await world.home.open()
        let server = try await world.find(latch, .init())
        let fail: @Sendable () -> Void = { world.wire.script { fault.answer(world.rules($0)) } }
        if !family.usesBrowser { fail() }
        let error = try await #require(throws: LatchError.self) { try await world.begin(latch, server, fail) }
        #expect(error.message.contains("127.0.0.1"), "\(error)")
        #expect(try await latch.accounts.rowIDs().isEmpty)

        world.wire.script(world.rules)
        let account = try await world.signIn(latch)
        try await world.expectWholeOrAbsent(latch, [account.id])
        await latch.close()
        await world.stop()
    }

    @Test(
        "a fault at a start, a question, a call and a renewal signs nobody out (invariant 4)", arguments: Family.all,
        faults)
    func session(_ family: Family, _ fault: Fault) async throws {
        let world = try await family.make()
        var latch = try await world.home.open()
        let account = try await world.signIn(latch)
        await latch.close()
        latch = try await world.home.open()
        world.wire.script { fault.answer(world.rules($0)) }
        let session = try latch.session(for: account)

        #expect(await session.restore().isSignedIn)
        let error = try await #require(throws: LatchError.self) { try await session.identity() }
        #expect(fault.codes.contains(error.code), "\(error.code): \(error)")
        world.home.clock.advance(by: 700)
        _ = try await session.validToken()
        if session.dialect.refresh != nil {
            await #expect(throws: LatchError.self) { try await session.refresh() }
        }
        _ = try? await session.client.send(session.dialect.identity)
        #expect(try await latch.accounts.account(account.id)?.isSignedIn == true)

        world.wire.script(world.rules)
        try await world.expectWholeOrAbsent(latch, [account.id])
        await latch.close()
        await world.stop()
    }

    @Test("a fault while signing out leaves the account absent, and says what is left", arguments: Family.all, faults)
    func signOut(_ family: Family, _ fault: Fault) async throws {
        let world = try await family.make()
        let latch = try await world.home.open()
        let account = try await world.signIn(latch)
        world.wire.script { fault.answer(world.rules($0)) }
        let report = try await latch.signOut(account)
        #expect(report.isRevoked || report.failure != nil)
        #expect(try await latch.accounts.rowIDs().isEmpty)
        try await world.expectWholeOrAbsent(latch, [account.id])
        await latch.close()
        await world.stop()
    }

    @Test("a server that is down signs nobody out, and signing out there removes the account", arguments: Family.all)
    func down(_ family: Family) async throws {
        let world = try await family.make()
        let latch = try await world.home.open()
        let account = try await world.signIn(latch)
        let server = try await world.find(latch, .init())
        world.wire.stop()
        let session = try latch.session(for: account)
        let codes: Set<LatchError.Code> = [.connectionRefused, .connectionLost]

        let probe = try await latch.probe(world.address, connection: .init(proxy: ""))
        #expect(probe.failure.map { codes.contains($0.code) } == true)
        if !family.usesBrowser {
            let refused = try await #require(throws: LatchError.self) { try await world.begin(latch, server) {} }
            #expect(codes.contains(refused.code), "\(refused)")
        }
        let error = try await #require(throws: LatchError.self) { try await session.identity() }
        #expect(codes.contains(error.code), "\(error)")
        #expect(await session.restore().isSignedIn)
        let report = try await latch.signOut(account)
        #expect(!report.isRevoked && report.failure != nil)
        try await world.expectWholeOrAbsent(latch, [account.id])
        await latch.close()
        await world.stop()
    }

    @Test("a clock that is a day wrong signs nobody out, and nobody in half", arguments: Family.all, [-86_400, 86_400])
    func clock(_ family: Family, _ seconds: Int) async throws {
        let world = try await family.make()
        var latch = try await world.home.open()
        let account = try await world.signIn(latch)
        await latch.close()
        world.home.clock.advance(by: TimeInterval(seconds))
        latch = try await world.home.open()
        #expect(await (try latch.session(for: account)).restore().isSignedIn)
        try await world.expectWholeOrAbsent(latch, [account.id])
        // An ID token of yesterday or tomorrow is refused; every other sign-in works.
        if let again = try? await world.signIn(latch) { #expect(again.isSignedIn) }
        world.home.clock.advance(by: TimeInterval(-seconds))
        try await world.expectWholeOrAbsent(latch, [account.id])
        _ = try await latch.signOut(account)
        try await world.expectWholeOrAbsent(latch, [account.id])
        await latch.close()
        await world.stop()
    }
}

/// A server whose answers crawl.
@Suite(.timeLimit(.minutes(5))) struct FamilySlownessTests {
    @Test("answers that come byte by byte are answers, from the first question to the last", arguments: Family.all)
    func crawl(_ family: Family) async throws {
        let world = try await family.make()
        world.wire.script { request in
            var answer = world.rules(request)
            answer.pace = .milliseconds(1)
            return answer
        }
        let latch = try await world.home.open()
        let account = try await world.signIn(latch)
        try await world.expectWholeOrAbsent(latch, [account.id])
        #expect(try await latch.signOut(account).failure?.code != .timedOut)
        try await world.expectWholeOrAbsent(latch, [account.id])
        await latch.close()
        await world.stop()
    }

    @Test("an answer that never ends keeps nobody from signing out, and ends no session", arguments: Family.all)
    func endless(_ family: Family) async throws {
        let world = try await family.make()
        let latch = try await world.home.open()
        let account = try await world.signIn(latch)
        let session = try latch.session(for: account)
        let asked = world.wire.requests.count
        world.wire.script { _ in
            var answer = ScriptedServer.Answer.json(String(repeating: " ", count: 100_000))
            answer.pace = .milliseconds(50)
            return answer
        }
        let call = Task { try await session.client.send(session.dialect.identity) }
        while world.wire.requests.count == asked { await Task.yield() }
        call.cancel()
        await #expect(throws: (any Error).self) { try await call.value }
        #expect(try await latch.accounts.account(account.id)?.isSignedIn == true)

        let report = try await latch.signOut(account)
        #expect(!report.isRevoked && report.failure != nil)
        #expect(try await latch.accounts.rowIDs().isEmpty)
        try await world.expectWholeOrAbsent(latch, [account.id])
        await latch.close()
        await world.stop()
    }
}
