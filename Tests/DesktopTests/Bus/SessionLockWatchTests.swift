import TestSupport
import Testing

@testable import Desktop

/// The lock of a session and the suspension of the machine, over a real bus.
@Suite(.timeLimit(.minutes(20))) struct SessionLockWatchTests {
    @Test(
        "IM-15 the session's lock, the machine's suspension and its end are reported, and another session's lock is not"
    )
    func events() async throws {
        let desktop = try await MockDesktop(.login)
        for id in ["one", "other"] { try await desktop.addSession(id) }
        let environment = desktop.environment.merging(["XDG_SESSION_ID": "one"]) { $1 }
        var events = SessionLockWatch(environment).events.makeAsyncIterator()
        #expect(await events.next() == .began)

        try await desktop.lockSession("one")
        #expect(await events.next() == .sessionLocked)
        try await desktop.lockSession("other")
        try await desktop.suspend()
        #expect(await events.next() == .suspending)
        try await desktop.resume()
        #expect(await events.next() == .resumed)
        await desktop.killBus()
        #expect(await events.next() == .ended)
    }

    @Test("IM-15 a watch that cannot begin is reported")
    func withoutBus() async {
        let environment = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"]
        var events = SessionLockWatch(environment).events.makeAsyncIterator()
        #expect(await events.next() == .ended)
    }
}
