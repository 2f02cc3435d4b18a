import HTTPClient

/// Identifies the server at an address and reports every step.
///
/// An address is stored only after a probe found a server there.
///
/// Source: OX-10, IM-3; docs/protocols/onyx.md, Server discovery.
package struct ServerProbe: Sendable {
    private let connection: ConnectionOptions
    private let dialects: [any Dialect]
    private let device: Device
    private let timeout: Duration

    /// Makes a probe.
    ///
    /// - Parameters:
    ///   - connection: The settings of the connection.
    ///   - dialects: The dialects to try, in order.
    ///   - device: The device that sends the requests, for `User-Agent`.
    ///   - timeout: The timeout of each request.
    package init(
        connection: ConnectionOptions = .init(), dialects: [any Dialect] = Dialects.all, device: Device = Device(),
        timeout: Duration = .seconds(10)
    ) {
        self.connection = connection
        self.dialects = dialects
        self.device = device
        self.timeout = timeout
    }

    /// Probes an address.
    ///
    /// - Parameters:
    ///   - address: The address to probe.
    ///   - onStep: Called with each step when its outcome is known.
    /// - Returns: The steps, and the server or the reason why there is none.
    /// - Throws: `CancellationError` only.
    package func run(
        _ address: ServerAddress, onStep: @escaping @Sendable (ProbeStep) -> Void = { _ in }
    ) async throws(CancellationError) -> ProbeReport {
        var run = ProbeRun(address: address, isPinned: connection.pinnedCertificate != nil, onStep: onStep)
        run.checkAddress()
        do throws(LatchError) {
            guard let client = open(&run) else { return run.report }
            try await client.closeAfter { client throws(LatchError) in try await ask(client, &run) }
        } catch {
            if error.code == .cancelled { throw CancellationError() }
            run.fail(error)
        }
        return run.report
    }

    /// Returns an HTTP client, or nil when a file that the options name cannot be used. Creating the client reads these
    /// files before any request.
    private func open(_ run: inout ProbeRun) -> HTTPClient? {
        do {
            return try connection.client(userAgent: device.userAgent, home: run.address)
        } catch {
            run.failBefore(error)
            return nil
        }
    }

    private func ask(_ client: HTTPClient, _ run: inout ProbeRun) async throws(LatchError) {
        let unauthenticated = UnauthenticatedConnection(
            to: run.address, client: client, device: device, timeout: timeout)
        for dialect in dialects {
            let finding: DiscoveryResult
            do {
                finding = try await dialect.discover(unauthenticated)
            } catch {
                let failure = LatchError(error, asking: run.address)
                await findCertificate(after: failure, with: client, in: &run)
                throw failure
            }
            run.reached()
            if run.record(finding, from: dialect, connection: connection) { return }
        }
        run.failUnknown()
    }

    private func findCertificate(after failure: LatchError, with client: HTTPClient, in run: inout ProbeRun) async {
        let pinnable: [LatchError.Code] = [
            .certificateSelfSigned, .certificateUnknownIssuer, .certificatePinMismatch, .certificateWrongName,
            .certificateExpired,
        ]
        guard pinnable.contains(failure.code) else { return }
        run.report.presentedCertificate = try? await client.presentedCertificate(at: run.address.url)
    }
}
