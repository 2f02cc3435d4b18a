import CLibrary
import CMicroHTTPD

extension HTTPServer.Configuration {
    /// The number of cores that this process may use.
    package static var coreCount: Int {
        max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }

    /// Returns the limits of the process: the number of file descriptors, and the number of connections for each
    /// libmicrohttpd daemon, each address and each wider network.
    ///
    /// Raises the descriptor limit to the system's maximum. 128 descriptors are reserved for other purposes.
    ///
    /// Source: getrlimit(2).
    func limits() -> (descriptors: Int, perDaemon: Int, perAddress: Int, perNetwork: Int) {
        var descriptors: UInt64 = 1024
        _ = latch_raise_descriptor_limit(&descriptors)
        let available = max(16, Int(clamping: descriptors) - 128)
        let total = min(connectionLimit ?? 20_000, available)
        let perAddress = connectionsPerAddress ?? max(16, min(512, total / 4))
        return (
            Int(clamping: descriptors), max(1, total / (max(1, loops) * max(1, listeners.count))), perAddress,
            max(perAddress, total / 2)
        )
    }
}

extension Duration {
    /// The duration in nanoseconds, at least 0.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(min(seconds, 1 << 32)) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
