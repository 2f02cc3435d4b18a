import Foundation
import TestSupport
import Testing

/// A crash leaves no memory behind.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20))) struct CoreFileTests {
    /// Starts the program of its arguments, waits for a line on standard input, ends it with a signal, and tells what is left.
    /// The limit is lifted from outside after the start, where that is allowed: a handler that cores are piped to has none.
    private static let script = """
        import os, resource, sys
        folder, number, program = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
        process = os.fork()
        if process == 0:
            os.chdir(folder)
            os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
            os.execv(program[0], program)
        sys.stdin.readline()
        try: resource.prlimit(process, resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        except (PermissionError, ValueError): pass
        os.kill(process, number)
        status = os.waitpid(process, 0)[1]
        files = [name for name in os.listdir(folder) if "core" in name]
        print("ended by", os.WTERMSIG(status), "dumped", os.WCOREDUMP(status) or files != [], "limit", hard, flush=True)
        """

    /// What the script prints about a program that was up when it had said `ready`.
    private static func crash(
        _ program: [String], by signal: Int32, in fixture: SystemFixture, ready: (CrashRunner) async throws -> Void
    ) async throws -> String {
        let cores = fixture.folder.file("cores-\(signal)")
        try FileManager.default.createDirectory(atPath: cores, withIntermediateDirectories: false)
        var environment = fixture.environment
        environment["LATCHD_LISTEN"] = "127.0.0.1:0"
        let child = try ChildProcess(
            "/usr/bin/python3", ["-c", script, cores, String(signal)] + program, environment: environment,
            errors: .withOutput)
        let running = CrashRunner(child: child)
        try await ready(running)
        child.input.write(Array("\n".utf8))
        return await BackgroundThread.run { running.rest() }
    }

    /// The running script and what it and its program print.
    struct CrashRunner: Sendable {
        let child: ChildProcess

        func wait(for text: String) async {
            await BackgroundThread.run {
                var output = ""
                while !output.contains(text) {
                    let more = child.output.read()
                    if more.isEmpty { return }
                    output += String(decoding: more, as: UTF8.self)
                }
            }
        }

        func rest() -> String { String(decoding: child.output.readToEnd(), as: UTF8.self) }
    }

    @Test("MASVS-STORAGE-2 a gateway that crashes leaves no core file", arguments: [SIGSEGV, SIGABRT])
    func gateway(_ signal: Int32) async throws {
        let fixture = try SystemFixture()
        let files = try await Self.crash([Products.path("latchd"), "serve"], by: signal, in: fixture) {
            await $0.wait(for: "listening")
        }
        #expect(files.contains("ended by \(signal) dumped False"), "\(files)")
    }

    @Test("MASVS-STORAGE-2 a client that crashes leaves no core file", arguments: [SIGSEGV, SIGABRT])
    func client(_ signal: Int32) async throws {
        let fixture = try SystemFixture()
        let silent = try SilentServer()
        let files = try await Self.crash(
            [Products.path("latch"), "doctor", "http://127.0.0.1:\(silent.port)"], by: signal, in: fixture
        ) { _ in await BackgroundThread.run { silent.waitForClient() } }
        #expect(files.contains("ended by \(signal) dumped False"), "\(files)")
    }

    @Test("another program leaves a core file, so the other tests are meaningful, if the system writes core files")
    func control() async throws {
        let fixture = try SystemFixture()
        let files = try await Self.crash(["/bin/sh", "-c", "echo ready; exec sleep 1000"], by: SIGSEGV, in: fixture) {
            await $0.wait(for: "ready")
        }
        #expect(files.contains("dumped True") || files.contains("limit 0"), "\(files)")
    }
}
