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

    /// The clock of a server, and the end of an unlock that it extends as Immich does.
    ///
    /// Source: docs/protocols/immich.md, PIN and locked assets.
    private final class ServerClock: Sendable {
        let state: Mutex<(now: Date, end: Date)>
        init(_ now: Date) { state = Mutex((now, now.addingTimeInterval(900.9))) }

        /// Extends the unlock for a request in its last five minutes, and returns the response to `/auth/status`.
        func status() -> ScriptedServer.Response {
            let (now, end) = state.withLock { state in
                if state.end > state.now, state.end.timeIntervalSince(state.now) < 300 {
                    state.end = state.now.addingTimeInterval(300)
                }
                return state
            }
            let isElevated = end > now
            var response = ScriptedServer.Response.json(
                #"{"pinCode":true,"password":true,"isElevated":\#(isElevated),"pinExpiresAt":"\#(end.ISO8601Format())"}"#
            )
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.timeZone = TimeZone(identifier: "GMT")
            format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            response.headers.append("Date", format.string(from: now))
            return response
        }
    }

    @Test(
        "IM-15 the folder is locked after the announced time, which no question extends, whatever the clock here says",
        arguments: [0, 840, 86_400, -86_400])
    func timeOver(serverIsBehind: Double) async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let server = ServerClock(fixture.home.clock.now.addingTimeInterval(-serverIsBehind))
        let pauses = Mutex<[Duration]>([])
        fixture.immich.intercept { request in
            guard request.path == "/api/auth/status" else { return nil }
            return pauses.withLock(\.count) == 0 ? .page(503) : server.status()
        }
        let waiting: @Sendable (Duration) async throws -> Void = { [fixture] pause in
            let seconds = Double(pause.components.seconds)
            fixture.home.clock.advance(by: seconds)
            server.state.withLock { $0.now.addTimeInterval(seconds) }
            pauses.withLock { $0.append(pause) }
        }
        let result = await Result {
            try await latch.withUnlocked(pin, of: account, waiting: waiting) { _ in
                try await Task.sleep(for: .seconds(3_600))
            }
        }
        let error = try #require(throws: LatchError.self) { try result.get() }
        #expect(error.code == .pinExpired)
        // The server failed at first, and was asked again 30 seconds later.
        #expect(pauses.withLock { $0 } == [.seconds(30), .seconds(870)])
        #expect(fixture.asked("/api/auth/status").count == 2)
        #expect(fixture.asked("/api/auth/session/lock").count == 1 && !isUnlocked)
        #expect(try await latch.session(for: account).identity().name == "Ada")
        await latch.close()
    }

    @Test("IM-15 a server that does not say the time is locked again after 15 minutes")
    func unknownTime() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let pauses = Mutex<[Duration]>([])
        let result = await Result {
            try await latch.withUnlocked(pin, of: account, waiting: { pause in pauses.withLock { $0.append(pause) } }) {
                _ in try await Task.sleep(for: .seconds(3_600))
            }
        }
        let error = try #require(throws: LatchError.self) { try result.get() }
        #expect(error.code == .pinExpired)
        let pause = try #require(pauses.withLock { $0.first })
        #expect(pause > .seconds(600) && pause <= .seconds(900))
        await latch.close()
    }

    @Test("IM-15 a failed lock is reported also when the work failed, was cancelled or the PIN was not confirmed")
    func failedWorkAndLock() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        fixture.immich.intercept { $0.path == "/api/auth/session/lock" ? .page(503) : nil }
        let work = LatchError(.folderGone, "The folder is missing.")
        for (thrown, code) in [
            (work as any Error, LatchError.Code.folderGone), (Failure(), .serverError),
            (CancellationError(), .serverError), (LatchError(.cancelled, "Stopped."), .serverError),
        ] {
            let result = await Result { try await latch.withUnlocked(pin, of: account) { _ in throw thrown } }
            let error = try #require(throws: LatchError.self) { try result.get() }
            #expect(error.code == code && error.remedy == .lockAgain, "\(error)")
            #expect(error.message.hasPrefix(work.message) == (code == .folderGone))
        }
        fixture.immich.intercept { $0.path.hasPrefix("/api/auth/session/") ? .page(503) : nil }
        let error = await #expect(throws: LatchError.self) { try await latch.withUnlocked(pin, of: account) { _ in } }
        #expect(error?.remedy == .lockAgain)
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
