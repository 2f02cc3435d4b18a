import CLibrary
import Foundation
import TestSupport
import Testing

/// `scripts/watched-test`, which supervises every run of the tests.
@Suite(.timeLimit(.minutes(20))) struct WatchedTestTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Runs a shell script in place of the tests.
    private func watch(_ script: String, minutes: String = "5") async throws -> Program.Result {
        var environment = ProcessInfo.processInfo.environment
        environment["WATCHED_TEST_GRACE"] = "1"
        return try await Program.run(
            Products.packageFolder + "/scripts/watched-test", [folder.file("log"), minutes, "sh", "-c", script],
            environment: environment)
    }

    @Test("a test that keeps running after its time limit is named and killed with all its processes")
    func hung() async throws {
        let result = try await watch(
            #"""
            echo '◇ Test "one" started.'
            echo '✘ Test "one" recorded an issue at A.swift:1:2: Time limit was exceeded: 60.000 seconds'
            echo '◇ Test "two \"quoted\"" started.'
            echo '✔ Test "two \"quoted\"" with 3 test cases passed after 1.0 seconds.'
            sleep 3600 & echo $! >"$0"; wait
            """#.replacing("$0", with: folder.file("id")))
        #expect(result.status == 124)
        #expect(result.output.contains("\"one\" is still running 1 s after its time limit."), "\(result.output)")
        #expect(
            result.output.contains("\"one\" did not end") && !result.output.contains("quoted\\\"\" did not end"))
        let id = try String(contentsOfFile: folder.file("id"), encoding: .utf8).trimmingCharacters(in: .newlines)
        try await eventually { !FileManager.default.fileExists(atPath: "/proc/\(id)/cmdline") || isDefunct(id) }
        #expect(try String(contentsOfFile: folder.file("log"), encoding: .utf8).contains("Test \"one\" started."))
    }

    /// Whether a process has ended, even if its parent has not waited for it yet.
    private func isDefunct(_ id: String) -> Bool {
        (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8))?.contains(") Z ") ?? true
    }

    @Test("tests that exceed the time limit are killed, and the running ones are named")
    func late() async throws {
        let result = try await watch("echo '◇ Test name(_:) started.'; sleep 3600", minutes: "0.01")
        #expect(result.status == 124 && result.output.contains("name(_:) did not end"), "\(result.output)")
    }

    @Test("after a failure the last lines list the failed tests, and the exit code is that of the tests")
    func failed() async throws {
        let result = try await watch(
            #"""
            echo '◇ Test "one" started.'
            echo '✘ Test "one" recorded an issue at A.swift:1:2: Expectation failed: 1 == 2'
            echo '↳ because of this'
            echo '✘ Test "one" failed after 1.0 seconds with 1 issue.'
            echo '✘ Test run with 1 test failed after 1.0 seconds with 1 issue.'
            exit 3
            """#)
        #expect(result.status == 3)
        let end = try #require(result.output.firstRange(of: "\nWhat failed (")).upperBound
        let lines = result.output[end...].split(separator: "\n").suffix(2)
        #expect(lines.first?.contains("Expectation failed: 1 == 2") == true, "\(result.output)")
        #expect(lines.last?.hasSuffix("because of this") == true, "\(result.output)")
        #expect(try await watch("echo all is well").output == "all is well\n")
    }

    /// How a run ends.
    enum End: String, CaseIterable { case passed, failed, late, stopped }

    @Test("every process that a test started ends with the run, however it ends", arguments: End.allCases)
    func nothingIsLeft(_ end: End) async throws {
        // Sessions of their own, a daemon whose parent has ended, a process that ignores SIGTERM, one of another user as the
        // servers of PostgreSQL are, and one that holds the output of the tests.
        let program = try RunningProgram(
            Products.packageFolder + "/scripts/watched-test",
            [
                folder.file("log"), end == .late ? "0.1" : "5", "sh", "-c",
                #"""
                start() { setsid "$@" >/dev/null 2>&1 & echo $! >>"$0"; }
                start sleep 3600
                (start sleep 3601)
                start sh -c 'trap "" TERM; while :; do sleep 1; done'
                [ "$(id -u)" != 0 ] || start setpriv --reuid=postgres --regid=postgres --clear-groups sleep 3602
                setsid sleep 3603 & echo $! >>"$0"
                echo ready
                case $1 in passed) exit 0 ;; failed) kill -SEGV $$ ;; esac
                sleep 3604
                """#, folder.file("ids"), end.rawValue,
            ], environment: ProcessInfo.processInfo.environment)
        try await program.line(containing: "ready")
        if end == .stopped { program.send(SIGTERM) }
        let status = await program.waitForExit()
        #expect(status == [.passed: 0, .failed: 139, .late: 124, .stopped: 143][end], "\(program.output)")
        let ids = try String(contentsOfFile: folder.file("ids"), encoding: .utf8).split(separator: "\n")
        #expect(ids.count == (getuid() == 0 ? 5 : 4))
        #expect(ids.filter { FileManager.default.fileExists(atPath: "/proc/\($0)/cmdline") } == [])
    }

    @Test("a run whose tests have closed their output ends at a signal too")
    func stoppedWithoutOutput() async throws {
        let program = try RunningProgram(
            Products.packageFolder + "/scripts/watched-test",
            [folder.file("log"), "5", "sh", "-c", "echo ready; exec >/dev/null 2>&1; exec sleep 3605"],
            environment: ProcessInfo.processInfo.environment)
        try await program.line(containing: "ready")
        // The script now waits for the process, and the signal interrupts that.
        try await eventually {
            try String(contentsOfFile: "/proc/\(program.id)/wchan", encoding: .utf8).contains("do_wait")
        }
        program.send(SIGTERM)
        #expect(await program.waitForExit() == 143, "\(program.output)")
    }
}
