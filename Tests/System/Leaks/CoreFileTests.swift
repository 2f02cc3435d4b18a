import Foundation
import TestSupport
import Testing

/// A crash leaves no memory behind.
@Suite(.inTurn, .timeLimit(.minutes(20))) struct CoreFileTests {
    /// Starts the program of its arguments, waits for a line on standard input, ends it with a signal, and tells what is left.
    /// The limit is lifted from outside after the start, where that is allowed: a handler that cores are piped to has none.
    private static let keeper = """
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

    /// What the keeper tells of a program that was up when it had said `ready`.
    private static func crash(
        _ program: [String], by signal: Int32, in fixture: SystemFixture, ready: (RunningKeeper) async throws -> Void
    ) async throws -> String {
        let cores = fixture.folder.file("cores-\(signal)")
        try FileManager.default.createDirectory(atPath: cores, withIntermediateDirectories: false)
        var environment = fixture.environment
        environment["LATCHD_LISTEN"] = "127.0.0.1:0"
        let child = try ChildProcess(
            "/usr/bin/python3", ["-c", keeper, cores, String(signal)] + program, environment: environment,
            errors: .withOutput)
        let keeper = RunningKeeper(child: child)
        try await ready(keeper)
        child.input.write(Array("\n".utf8))
        return await BackgroundThread.run { keeper.rest() }
    }

    /// The keeper and what it and its program say.
    struct RunningKeeper: Sendable {
        let child: ChildProcess

        func wait(for text: String) async {
            await BackgroundThread.run {
                var said = ""
                while !said.contains(text) {
                    let more = child.output.read()
                    if more.isEmpty { return }
                    said += String(decoding: more, as: UTF8.self)
                }
            }
        }

        func rest() -> String { String(decoding: child.output.readToEnd(), as: UTF8.self) }
    }

    @Test("MASVS-STORAGE-2 a gateway that crashes leaves no core file", arguments: [SIGSEGV, SIGABRT])
    func gateway(_ signal: Int32) async throws {
        let fixture = try SystemFixture()
        let told = try await Self.crash([Products.path("latchd"), "serve"], by: signal, in: fixture) {
            await $0.wait(for: "listening")
        }
        #expect(told.contains("ended by \(signal) dumped False"), "\(told)")
    }

    @Test("MASVS-STORAGE-2 a client that crashes leaves no core file", arguments: [SIGSEGV, SIGABRT])
    func client(_ signal: Int32) async throws {
        let fixture = try SystemFixture()
        let silent = try SilentServer()
        let told = try await Self.crash(
            [Products.path("latch"), "doctor", "http://127.0.0.1:\(silent.port)"], by: signal, in: fixture
        ) { _ in await BackgroundThread.run { silent.waitForClient() } }
        #expect(told.contains("ended by \(signal) dumped False"), "\(told)")
    }

    @Test("another program leaves a core file, so the other tests are meaningful, if the system writes core files")
    func control() async throws {
        let fixture = try SystemFixture()
        let told = try await Self.crash(["/bin/sh", "-c", "echo ready; exec sleep 1000"], by: SIGSEGV, in: fixture) {
            await $0.wait(for: "ready")
        }
        #expect(told.contains("dumped True") || told.contains("limit 0"), "\(told)")
    }
}
