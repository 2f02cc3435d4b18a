import DesktopDriver
import Foundation
import Testing

extension WindowTests {
    /// The program ends by SIGKILL in the middle of what it does.
    ///
    /// The moments are changes that the program makes, counted by the program itself: see `KillPoint`. Before each act is
    /// killed it runs once to its end, which shows its number of changes. The moments are spread over them, with the first
    /// and the last.
    @Suite("Killed", .sandbox)
    struct KilledTests {
        /// The acts and the number of moments at which each is killed: 50 together.
        private static func acts() throws -> [(act: any KilledAct, moments: Int)] {
            [
                (try SignInAct(), 8), (SetPINAct(), 6), (try SignOutAct(), 7), (RemovePINAct(), 5), (AddAct(), 5),
                (QueueAct(.resume), 4), (QueueAct(.retry), 4), (QueueAct(.cancel), 3), (QueueAct(.pause), 2),
                (SwitchAct(), 3), (UnlockAct(), 3),
            ]
        }

        @Test(
            "RM-2 RM-9 IM-6 IM-11 IM-15 DL-12 DL-17 killed before 50 of its changes, nothing is half-done, and all works"
        )
        func killed() async throws {
            let (sandbox, other) = (try #require(SandboxTrait.sandbox), try await RunningSandbox())
            let acts = try Self.acts()
            try #require(acts.map(\.moments).reduce(0, +) == 50)
            // The sign-ins of all, before the first act counts sessions.
            var runs: [KilledRun] = []
            for act in acts {
                runs.append(
                    try await KilledRun(act.act, moments: act.moments, act.act.countsSessions ? other : sandbox))
            }
            let killed = try await withThrowingTaskGroup(of: Int.self) { group in
                var rest = runs[...]
                var killed = 0
                for run in rest.prefix(3) { group.addTask { try await run.killAtEachMoment() } }
                rest = rest.dropFirst(3)
                while let count = try await group.next() {
                    killed += count
                    if let run = rest.popFirst() { group.addTask { try await run.killAtEachMoment() } }
                }
                return killed
            }
            #expect(killed == 50)
            await other.stop()
        }
    }
}

/// What a person does in the window, to be killed in the middle.
protocol KilledAct: Sendable {
    /// The name, for messages.
    var name: String { get }
    /// Whether the act needs a sandbox where no other device signs in.
    var countsSessions: Bool { get }
    /// Makes the folders once. They are copied for each moment.
    func prepare(_ device: KilledDevice) async throws
    /// Does what cannot be copied, such as a session on the server that the act ends.
    func prepareMoment(_ device: KilledDevice) async throws
    /// Goes to the last step.
    @Accessibility func open(_ app: DesktopApp, _ device: KilledDevice) async throws
    /// Does the last step, and waits until the window shows the end.
    @Accessibility func perform(_ app: DesktopApp, _ device: KilledDevice) async throws
    /// Checks what is left, before the next start of the window. `changes` are complete, and the next one was prevented.
    func check(_ device: KilledDevice, after changes: [String]) async throws
    /// Does the act to its end after the next start.
    @Accessibility func complete(_ app: DesktopApp, _ device: KilledDevice) async throws
    /// Checks the state after the end of the act, and frees what was used on the server.
    func checkEnd(_ device: KilledDevice) async throws
}

extension KilledAct {
    var countsSessions: Bool { false }

    func prepareMoment(_: KilledDevice) async throws {}
}

/// One act, and the moments at which it is killed.
struct KilledRun {
    private let act: any KilledAct
    private let moments: Int
    private let device: KilledDevice
    private let prepared: PersonFolders

    /// Makes the folders of the act.
    init(_ act: any KilledAct, moments: Int, _ sandbox: RunningSandbox) async throws {
        (self.act, self.moments) = (act, moments)
        device = KilledDevice(try PersonFolders(), sandbox, try await SessionBus())
        try await act.prepare(device)
        prepared = try PersonFolders(copying: device.folders)
    }

    /// Runs the act to its end, and then kills it at each moment. Returns the number of kills.
    func killAtEachMoment() async throws -> Int {
        let total = try await recordedChanges()
        let numbers = (0..<moments).map { 1 + $0 * (total - 1) / (moments - 1) }
        print("\(act.name): \(total) changes, killed before \(numbers)")
        try #require(Set(numbers).count == moments, "\(act.name) has only \(total) changes.")
        for number in numbers { try await kill(before: number) }
        return numbers.count
    }

    /// Returns the number of changes of the whole act.
    private func recordedChanges() async throws -> Int {
        try await act.prepareMoment(device)
        let point = try KillPoint(device.folders)
        try await device.withWindow(point.environment) { app in
            try await act.open(app, device)
            point.countOnly()
            try await act.perform(app, device)
        }
        let changes = Self.withoutClosing(point.changes)
        try await act.checkEnd(device)
        return changes.count
    }

    /// Returns the changes without those of the end of the program, which waits for the act: the log of the database is flushed,
    /// copied into its file and removed.
    private static func withoutClosing(_ changes: [String]) -> [String] {
        guard let removal = changes.firstIndex(where: { $0.hasPrefix("unlink") && $0.hasSuffix(".db-shm") }) else {
            return changes
        }
        let rest = changes[..<removal].reversed().drop { $0.hasSuffix(".db") }
        return (rest.first == "fdatasync data/latchstring/latchstring.db-wal" ? rest.dropFirst() : rest).reversed()
    }

    /// Kills the act before a change, checks what is left, and does the act again to its end.
    private func kill(before number: Int) async throws {
        try await device.folders.restore(prepared)
        try await act.prepareMoment(device)
        let changes = try await changes(before: number)
        let what = "\(act.name), killed before change \(number), \(changes.last ?? "")"
        do {
            try await act.check(device, after: changes.dropLast())
            try await device.withWindow { try await act.complete($0, device) }
            try await act.checkEnd(device)
        } catch let error where !(error is CancellationError) {
            // The failure of one act cancels the others.
            Issue.record("\(what): \(error)")
            throw error
        }
    }

    /// Runs the act until it is killed, and returns the changes up to the one that was prevented.
    @Accessibility
    private func changes(before number: Int) async throws -> [String] {
        let point = try KillPoint(device.folders)
        let app = try await device.launch(point.environment)
        do {
            try await act.open(app, device)
            point.set(number)
            try await act.perform(app, device)
            try await app.waitForEnd()
        } catch let error where !(error is CancellationError) {
            // After the kill the driver cannot find the window any more.
            guard point.isReached else {
                Issue.record("\(act.name), to be killed before change \(number), made only \(point.changes)")
                throw error
            }
        }
        try #require(await app.program.isKilled(), "\(act.name): SIGKILL did not end the program at \(number).")
        try #require(point.isReached && point.changes.count == number, "\(act.name): \(point.changes)")
        return point.changes
    }
}
