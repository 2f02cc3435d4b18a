import Crypto
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

/// Access to the locked folder of a scripted server.
@Suite("IM-15 The locked folder", .timeLimit(.minutes(10)))
struct ImmichUnlockTests {
    private static let token = "token-number-1"
    private let fixture: ImmichFixture
    private let pin: PIN

    init() throws {
        fixture = try ImmichFixture()
        pin = try PIN(Secret("123456"))
        fixture.immich.set { $0.pin = "123456" }
    }

    private var isUnlocked: Bool { fixture.immich.state.withLock { !$0.elevated.isEmpty } }

    private struct Failure: Error {}

    @Test(
        "IM-15 the folder is locked again when the work ends, fails and is cancelled",
        arguments: ["end", "fail", "cancel"])
    func leaving(by way: String) async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let (begun, beginning) = AsyncStream<Bool>.makeStream()
        let work = Task { [latch, pin] in
            try await latch.withUnlocked(pin, of: account) { client in
                beginning.yield(self.isUnlocked)
                switch way {
                case "end": return try await client.send(.get, "/api/auth/status").status
                case "fail": throw Failure()
                default:
                    try await Task.sleep(for: .seconds(3_600))
                    throw Failure()
                }
            }
        }
        #expect(await begun.first { _ in true } == true)
        if way == "cancel" { work.cancel() }
        switch (way, await work.result) {
        case ("end", .success(let status)): #expect(status == .ok)
        case ("fail", .failure(let error)): #expect(error is Failure)
        case ("cancel", .failure(let error)): #expect(error is CancellationError)
        case (_, let result): Issue.record("\(result)")
        }
        #expect(!isUnlocked)
        #expect(fixture.asked("/api/auth/session/lock").count == 1)
        #expect(try await latch.session(for: account).identity().name == "Ada")
        await latch.close()
    }

    @Test("IM-15 the work is cancelled when the server's time is over, and not before")
    func timeOver() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let start = fixture.home.clock.now
        let pauses = Mutex<[Duration]>([])
        let expire: @Sendable (Double) -> Void = { [immich = fixture.immich] seconds in
            immich.set { $0.pinExpires = start.addingTimeInterval(seconds).ISO8601Format() }
        }
        let waiting: @Sendable (Duration) async throws -> Void = { [fixture] pause in
            fixture.home.clock.advance(by: Double(pause.components.seconds))
            pauses.withLock { $0.append(pause) }
            switch pauses.withLock(\.count) {
            // The server has extended the time, because it was used.
            case 1: expire(1_200)
            // It does not respond.
            case 2: fixture.immich.intercept { _ in .page(503) }
            default:
                fixture.immich.intercept(nil)
                fixture.immich.set { $0.elevated = [] }
            }
        }
        expire(900)
        let result = await Result {
            try await latch.withUnlocked(pin, of: account, waiting: waiting) { _ in
                try await Task.sleep(for: .seconds(3_600))
            }
        }
        let error = try #require(throws: LatchError.self) { try result.get() }
        #expect(error.code == .pinExpired)
        #expect(pauses.withLock { $0 } == [.seconds(900), .seconds(300), .seconds(30)])
        #expect(fixture.asked("/api/auth/session/lock").count == 1)
        #expect(try await latch.session(for: account).identity().name == "Ada")
        await latch.close()
    }

    @Test(
        "IM-15 a server that fails to unlock, to tell the state or to lock changes nothing here, and keeps the session",
        arguments: [500, 502, 503], ["/api/auth/session/unlock", "/api/auth/status", "/api/auth/session/lock"])
    func failing(status: Int, path: String) async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        try await latch.lock.set(Secret("274951"))
        let files = [fixture.home.folders.lock, fixture.home.folders.database]
        let key = AccountStore.tokenKey(account.id)
        let before = (FileManager.default.contents(atPath: files[0]), try await fixture.home.secrets.read(key))
        fixture.immich.intercept { $0.path == path ? .page(status) : nil }
        let hasRun = Mutex(false)

        let result = await Result {
            try await latch.withUnlocked(pin, of: account) { _ in hasRun.withLock { $0 = true } }
        }

        switch (path, result) {
        case ("/api/auth/status", .success): break
        case ("/api/auth/session/unlock", .failure(let error as LatchError)): #expect(error.code == .serverError)
        case ("/api/auth/session/lock", .failure(let error as LatchError)):
            #expect(error.code == .serverError && error.message.contains("could not be locked again"), "\(error)")
        default: Issue.record("\(result)")
        }
        #expect(hasRun.withLock { $0 } == (path != "/api/auth/session/unlock"))
        #expect(isUnlocked == (path == "/api/auth/session/lock"))
        fixture.immich.intercept(nil)
        #expect(try await latch.pinState(of: account).isSet)
        #expect(fixture.immich.state.withLock(\.pin) == "123456")
        #expect(FileManager.default.contents(atPath: files[0]) == before.0 && before.0 != nil)
        #expect(try await fixture.home.secrets.read(key) == before.1)
        #expect(try await latch.session(for: account).identity().name == "Ada")
        await latch.close()
    }

    @Test("IM-15 an unlock whose response was lost is locked again, and a wrong PIN locks nothing")
    func lostResponse() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        fixture.immich.intercept { [immich = fixture.immich] request in
            guard request.path == "/api/auth/session/unlock" else { return nil }
            immich.set { _ = $0.elevated.insert(Self.token) }
            return .silence
        }
        await #expect(throws: LatchError.self) { try await latch.withUnlocked(pin, of: account) { _ in } }
        #expect(!isUnlocked)

        fixture.immich.intercept(nil)
        let wrong = try PIN(Secret("000000"))
        let error = await #expect(throws: LatchError.self) { try await latch.withUnlocked(wrong, of: account) { _ in } }
        #expect(error?.code == .wrongPIN && fixture.asked("/api/auth/session/lock").count == 1)
        await latch.close()
    }

    @Test("IM-15 a server that does not respond to the lock delays the end only for a limited time")
    func boundedLock() async throws {
        let latch = try await fixture.home.open(revocationTimeout: .milliseconds(50))
        let account = try await fixture.signIn(latch)
        let isReleased = DispatchSemaphore(value: 0)
        fixture.immich.intercept { request in
            if request.path == "/api/auth/session/lock" { isReleased.wait() }
            return nil
        }
        let error = await #expect(throws: LatchError.self) { try await latch.withUnlocked(pin, of: account) { _ in } }
        #expect(error?.code == .timedOut)
        isReleased.signal()
        await latch.close()
    }
}

extension Result where Failure == any Error {
    /// Makes the result of a throwing function.
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
