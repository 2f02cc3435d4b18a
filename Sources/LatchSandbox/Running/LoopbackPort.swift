import HTTPServer
import Wire

/// Finds ports on loopback before what is served there is made: its own address stands in what it answers.
enum LoopbackPort {
    /// The port, or a free one for 0.
    ///
    /// Another program may take a free port before it is listened on; then that fails and says so.
    ///
    /// - Throws: ``SandboxError/Code/notLoopback`` unless `host` is an address that only this machine reaches;
    ///   `HTTPServerError` when no port is free.
    static func find(_ port: UInt16, host: String) async throws -> UInt16 {
        try check(host)
        guard port == 0 else { return port }
        let server = try await HTTPServer.start(
            .init(listeners: [.tcp(host: host, port: 0)], loops: 1), router: Router())
        let found = server.addresses.compactMap(\.port).first ?? 0
        await server.stop(drain: .zero)
        return found
    }

    /// Refuses whatever is not an address of loopback; names are not looked up.
    static func check(_ host: String) throws(SandboxError) {
        guard IPAddress(host)?.isLoopback == true else {
            throw SandboxError(
                .notLoopback,
                "The sandbox listens on loopback only, and '\(host)' is no address of it: its passwords are known to "
                    + "everybody; use 127.0.0.1 or ::1.")
        }
    }
}
