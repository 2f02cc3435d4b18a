import TestSupport

extension Authority {
    /// A TLS server with `pair`.
    func server(_ pair: Pair, _ arguments: [String] = []) async throws -> Fixture {
        try await Fixture.server(["--certificate", pair.certificate, "--key", pair.key] + arguments)
    }
}
