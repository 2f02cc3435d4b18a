import Foundation
import TestSupport
import Testing

/// `latch` killed before every system call by which it changes anything.
///
/// What cannot be helped: a program that is killed after the server has started a session, and before it has the token
/// in its own hands and the secret store, leaves a session there that nobody can use; it ends when its time runs out.
@Suite(.blocking, .serialized, .timeLimit(.minutes(10))) struct ClientCrashTests {
    @Test(
        "OX-13 TT-12 if latch is killed at any step, an account is complete or absent",
        arguments: ClientCrash.Command.allCases, ClientCrash.Store.allCases)
    func killed(command: ClientCrash.Command, store: ClientCrash.Store) async throws {
        let fixture = try SystemFixture([
            "LATCHD_PASSWORDS_ARGON2_MEMORY": "8KiB", "LATCHD_GUARDS_ADDRESS_ATTEMPTS": "1000000",
        ])
        let gateway = try await fixture.startGateway()
        let first = try await ClientCrash(command, store, in: fixture, gateway, person: "p0")
        let points = try await first.points()
        try #require(points.count > 10)

        // Several at once: most of the time goes by waiting for the disk.
        let workers = 4
        let reached = try await withThrowingTaskGroup(of: [SystemCalls.Point].self) { group in
            for worker in 0..<workers {
                let mine = points.enumerated().filter { $0.offset % workers == worker }.map(\.element)
                group.addTask {
                    let crash = try await ClientCrash(command, store, in: fixture, gateway, person: "w\(worker)")
                    var reached: [SystemCalls.Point] = []
                    for point in mine where try await crash.killAndCheck(at: point) { reached.append(point) }
                    return reached
                }
            }
            return try await group.reduce([], +)
        }

        print("latch \(command), \(store): killed at \(reached.count) of \(points.count) system calls.")
        // Which thread does what differs from run to run; the counts then differ a little.
        #expect(reached.count > points.count * 3 / 4)
        var never = Set(points.map(\.name)).subtracting(reached.map(\.name))
        // A later call of a rare name may come on another thread, as that thread's first.
        let last = try await ClientCrash(command, store, in: fixture, gateway, person: "last")
        for name in never where try await last.killAndCheck(at: .init(name: name, number: 1)) { never.remove(name) }
        #expect(never.isEmpty, "It was killed at none of its calls of \(never.sorted().joined(separator: ", ")).")
    }
}
