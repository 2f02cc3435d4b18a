import TestSupport
import Testing

/// `latch` killed at random moments of signing in, replacing its key and signing out, at servers of every family.
///
/// ``ClientCrashTests`` kill before every system call, at one family; here whatever stands between is met too: the browser,
/// the identity provider and the server go on when the program is dead.
@Suite(.blocking, .timeLimit(.minutes(20))) struct FamilyCrashTests {
    @Test(
        "OX-13 IM-11 TT-12 RM-7 RM-8 if latch is killed at any time, an account is complete or absent, in every family",
        arguments: CrashFamily.all)
    func killed(_ family: CrashFamily) async throws {
        var crash = try await FamilyCrash(family)
        try await attempt {
            try await crash.learn()
            for command in family.commands {
                let moments = 12
                let kills = try await crash.kill(command, moments: moments)
                print(
                    "latch \(command), \(family.testDescription): killed at \(kills) of \(moments) moments in",
                    crash.time(of: command))
                #expect(kills > 0)
                guard family.givesKeys, command != .logout else { continue }
                let times = 5
                let aimed = try await crash.killOnceKeyIsMade(command, times: times)
                print("latch \(command), \(family.testDescription): killed at \(aimed) of \(times) keys just made")
                #expect(aimed > 0)
            }
        } finally: {
            await crash.end()
        }
    }
}
