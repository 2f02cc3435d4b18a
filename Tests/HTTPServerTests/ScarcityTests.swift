import Foundation
import HTTPServer
import TestSupport
import Testing

/// A system that has nothing more to give; each test in a process of its own.
@Suite("Scarce resources", .blocking, .timeLimit(.minutes(20)))
struct ScarcityTests {
    @Test("a server without a thread reports that, leaves nothing open, and starts when there is one")
    func threads() async {
        await #expect(processExitsWith: .success) {
            try await Scarcity.startAndStop()
            let before = Scarcity.sockets()
            // Every thread takes some megabytes of addresses for its stack: after a few there are none left.
            let free = try Scarcity.limit(.addresses, to: try Scarcity.addressBytes() + (24 << 20))
            let error = await #expect(throws: HTTPServerError.self) { try await Scarcity.startAndStop(loops: 16) }
            try Scarcity.limit(.addresses, to: free)
            try #require(
                error?.code == .system && error?.message.contains("a server thread") == true, "\(error)")
            try #require(Scarcity.sockets() == before)
            try await Scarcity.startAndStop(loops: 16)
        }
    }

    @Test("a server with too few descriptors reports that and leaves nothing open")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            try await Scarcity.startAndStop()
            let before = Scarcity.sockets()
            var failures = 0
            // The server raises the limit as far as it may, so the hard one falls, which nobody can take back.
            for most in (rlim_t(3)...48).reversed() {
                var limit = rlimit(rlim_cur: most, rlim_max: most)
                try #require(setrlimit(Scarcity.Resource.descriptors.number, &limit) == 0)
                do {
                    try await Scarcity.startAndStop()
                } catch let error as HTTPServerError {
                    failures += 1
                    try #require(error.code == .system, "\(error)")
                }
                try #require(Scarcity.sockets() == before, "with \(most)")
            }
            try #require(failures > 8, "only \(failures) starts failed")
        }
    }
}

/// What a process may still have.
private enum Scarcity {
    enum Resource {
        case addresses, descriptors

        var number: __rlimit_resource_t {
            __rlimit_resource_t(self == .addresses ? RLIMIT_AS.rawValue : RLIMIT_NOFILE.rawValue)
        }
    }

    /// Sets a limit of this process; what it was before.
    @discardableResult
    static func limit(_ resource: Resource, to value: UInt) throws -> UInt {
        var limit = rlimit()
        try #require(getrlimit(resource.number, &limit) == 0)
        let before = limit.rlim_cur
        limit.rlim_cur = min(value, limit.rlim_max)
        try #require(setrlimit(resource.number, &limit) == 0)
        return before
    }

    /// The addresses that this process has taken.
    ///
    /// Source: proc_pid_statm(5).
    static func addressBytes() throws -> UInt {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return try #require(fields.first.flatMap { UInt($0) }) * UInt(getpagesize())
    }

    /// The descriptors that are sockets; a loop's thread closes what else it has when it ends.
    static func sockets() -> [Int32] {
        (0..<1_024).filter { descriptor in
            var status = stat()
            return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
        }
    }

    static func startAndStop(loops: Int = 2) async throws {
        let server = try await HTTPServer.start(
            TestServer.configuration { $0.loops = loops }, router: .sample)
        await server.stop(drain: .zero)
    }
}
