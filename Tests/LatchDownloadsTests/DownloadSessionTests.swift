import Crypto
import Database
import Foundation
import LatchDownloads
import LatchKit
import Synchronization
import TestSupport
import Testing

/// Tokens that run out, sessions that end, accounts that go, while files come.
@Suite(.timeLimit(.minutes(20)))
struct DownloadSessionTests {
    private let fixture: DownloadFixture

    init() async throws { fixture = try await DownloadFixture() }

    /// A server that takes the tokens of one turn only; nil takes none and renews none.
    private func accept(_ turn: Int?, _ barrier: Barrier? = nil) {
        let current = Mutex(turn)
        fixture.intercept { [fixture] request in
            let accepted = current.withLock { $0 }
            let isAccepted = accepted.map { request.headers["authorization"] == "Bearer access-secret-\($0)" } ?? false
            switch request.path {
            case "/api/auth/mobile/login":
                current.withLock { $0 = 9 }
                return .json(DownloadFixture.tokens(9))
            case "/api/auth/mobile/refresh":
                guard let accepted else { return Self.ended }
                return .json(DownloadFixture.tokens(accepted))
            case "/api/me": return isAccepted ? nil : Self.ended
            case let path where path.hasPrefix("/files/"):
                if isAccepted { return .file(fixture.bytes(of: String(path.dropFirst(7))), to: request) }
                barrier?.enter()
                defer { barrier?.leave() }
                return Self.ended
            default: return nil
            }
        }
    }

    private static let ended = FaultServer.Response.json(#"{"error_code":"SESSION_EXPIRED","detail":"It ended."}"#, 401)

    private func count(_ path: String) -> Int { fixture.server.requests.count { $0.path == path } }

    @Test("IM-12 DL-7 files of an account that must change its password wait, and the reason is reported")
    func passwordChange() async throws {
        let queue = fixture.queue()
        try await queue.add([fixture.task("one")])
        #expect(try await !queue.isSignInAwaited())
        let id = fixture.account.id
        try await fixture.latch.accounts.database.write {
            _ = try $0.run(Statement("UPDATE accounts SET must_change_password = 1 WHERE id = ?", UUID.self), id)
        }
        try await queue.run()
        #expect(count("/files/one") == 0)
        #expect(try await queue.progress().open == 1)
        #expect(try await queue.isSignInAwaited())
        #expect(try await queue.snapshot().waitReason?.kind == .password(id))
    }

    @Test("DL-13 a token that expires during six transfers is renewed once, and uses no attempts")
    func renewed() async throws {
        let barrier = Barrier(6)
        accept(2, barrier)
        var settings = DownloadSettings()
        settings.maximumPerGroup = 6
        let queue = fixture.queue(settings)
        try await queue.add((0..<12).map { fixture.task("picture-\($0)") })
        try await queue.run()
        #expect(count("/api/auth/mobile/refresh") == 1 && barrier.most == 6)
        #expect(try await queue.tasks().allSatisfy { $0.state == .done && $0.attempts == 0 })
        #expect(try fixture.files().count == 12)
    }

    @Test("DL-13 an ended session pauses its tasks, which are downloaded after a new sign-in")
    func endedSession() async throws {
        accept(nil)
        let queue = fixture.queue()
        let events = fixture.collect(queue)
        try await queue.add((0..<20).map { fixture.task("picture-\($0)") })
        try await queue.run()
        #expect(try await queue.tasks().allSatisfy { $0.state == .paused && $0.attempts == 0 })
        #expect(try await queue.isSignInAwaited())
        let received = await events()
        #expect(
            received.contains {
                if case .pauseReasonChanged(let reason?) = $0 { reason.sentence.contains("Sign in") } else { false }
            })
        #expect(count("/api/auth/mobile/refresh") == 1)

        let found = try await fixture.latch.probe(fixture.account.serverURL).requireServer()
        let again = try await fixture.latch.signIn(
            PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")), to: found)
        #expect(again.id == fixture.account.id)
        // A file that a person pauses meanwhile stays paused when the others continue.
        try await queue.pause(["picture-3"])
        #expect(try await queue.resumeHeld(of: again.id) == 19)
        try await queue.run()
        #expect(try await queue.progress().done == 19)
        #expect(try await queue.resume() == 1)
        try await queue.run()
        #expect(try await queue.progress().done == 20)
        #expect(try fixture.files().count == 20 && fixture.parts().isEmpty)
    }

    @Test(
        "DL-12 a sign-out during downloads deletes the account's tasks and parts, and the run reports that"
    )
    func removedAccount() async throws {
        fixture.intercept { [fixture] request in
            guard request.path.hasPrefix("/files/") else { return nil }
            var response = FaultServer.Response.file(fixture.bytes(of: "slow"), to: request)
            response.stallAfter = 5_000
            return response
        }
        let queue = fixture.queue()
        try await queue.add((0..<5).map { fixture.task("slow-\($0)") })
        let events = queue.events
        let received = fixture.collect(queue)
        let run = Task { try await queue.run() }
        for await event in events { if case .progress(_, 5_000, _) = event { break } }
        try await fixture.latch.signOut(fixture.account)
        let error = await #expect(throws: LatchError.self) { try await run.cancellableValue }
        #expect(error?.code == .signedOut && error?.message.contains("which had 5 pending files") ?? false)
        #expect(
            await received().contains {
                if case .error(_, let reason) = $0 { reason.contains("signed out") } else { false }
            })
        #expect(try await queue.tasks().isEmpty)
        #expect(try fixture.files().isEmpty && fixture.parts().isEmpty)
    }

    @Test("DL-4 no secret is in the queue, in its file, in a part or in an event")
    func noSecret() async throws {
        fixture.stall("slow", after: 5_000)
        let queue = fixture.queue()
        let received = fixture.collect(queue)
        try await queue.add([fixture.task("slow"), fixture.task("quick")])
        let events = queue.events
        let run = Task { try await queue.run() }
        for await event in events { if case .progress("slow", 5_000, _) = event { break } }

        #expect(fixture.server.requests.contains { $0.headers["authorization"] == "Bearer access-secret-1" })
        var looked = 0
        for path in FileManager.default.enumerator(atPath: fixture.folder.path)?.allObjects as? [String] ?? [] {
            guard let bytes = FileManager.default.contents(atPath: fixture.folder.file(path)) else { continue }
            looked += 1
            #expect(!bytes.leaks("access-secret-") && !bytes.leaks("refresh-secret-"), "\(path)")
        }
        #expect(looked >= 4)
        for event in await received() {
            #expect(!"\(event)".leaks("access-secret-") && !"\(event)".leaks("refresh-secret-"))
        }
        run.cancel()
        _ = await run.result
    }
}
