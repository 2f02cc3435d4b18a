import Desktop
import TestSupport
import Testing

/// A machine kept awake, over a real bus.
@Suite(.timeLimit(.minutes(20))) struct SleepInhibitorTests {
    @Test("DL-16 the machine is kept awake from hold to release, also repeatedly")
    func holdAndRelease() async throws {
        let desktop = try await MockDesktop(.login)
        let inhibitor = SleepInhibitor(desktop.environment, mode: .block)

        await inhibitor.hold("Downloading film.mp4")
        await inhibitor.hold("Downloading film.mp4")
        #expect(await inhibitor.isHeld)
        let list = try await desktop.inhibitors()
        #expect(list.contains("'sleep:idle', 'Latchstring', 'Downloading film.mp4', 'block'"))
        #expect(list.split(separator: "'sleep:idle'").count == 2)

        await inhibitor.release()
        try await desktop.waitForInhibitors(false)
        await inhibitor.hold("Downloading film.mp4")
        try await desktop.waitForInhibitors(true)
    }

    @Test("IM-15 a delay of the suspension does not keep an idle machine awake")
    func delay() async throws {
        let desktop = try await MockDesktop(.login)
        let inhibitor = SleepInhibitor(desktop.environment, mode: .delay)
        await inhibitor.hold("Locking")
        #expect(try await desktop.inhibitors().contains("'sleep', 'Latchstring', 'Locking', 'delay'"))
        await inhibitor.release()
        try await desktop.waitForInhibitors(false)
    }

    @Test("DL-16 the machine may sleep again when the value is deallocated")
    func releasedOnDeinit() async throws {
        let desktop = try await MockDesktop(.login)
        do {
            let inhibitor = SleepInhibitor(desktop.environment, mode: .block)
            await inhibitor.hold("a test")
            #expect(await inhibitor.isHeld)
        }
        try await desktop.waitForInhibitors(false)
    }
}
