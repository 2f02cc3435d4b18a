extension Trust {
    /// Creates the trust of a configuration. Reads every file that it names.
    convenience init(_ configuration: HTTPClient.Configuration) throws(TransportError) {
        let identity: ClientIdentity? =
            if let source = configuration.clientCertificate { try ClientIdentity(source) } else { nil }
        if let pinned = configuration.pinnedCertificate {
            self.init(.pinned(pinned), identity: identity)
        } else {
            self.init(try Self.authorities(configuration.authorities), identity: identity)
        }
    }

    /// Creates the trust for other origins: the same authorities, without pin and client certificate.
    convenience init(elsewhere configuration: HTTPClient.Configuration) throws(TransportError) {
        self.init(try Self.authorities(configuration.authorities))
    }

    private static func authorities(_ authorities: CertificateAuthorities) throws(TransportError) -> Verification {
        guard let path = authorities.pemFile else { return .authorities(anchors: [], includesSystem: true) }
        let includesSystem = if case .systemAnd = authorities { true } else { false }
        switch LocalFile.contents(of: path) {
        case .success(let bytes):
            let anchors = Certificate.all(inPEM: bytes)
            guard !anchors.isEmpty else {
                throw TransportError(
                    .file,
                    "Could not use the authorities in '\(path)': it contains no PEM certificate; specify a "
                        + "file that begins with 'BEGIN CERTIFICATE'."
                )
            }
            return .authorities(anchors: anchors, includesSystem: includesSystem)
        case .failure(let problem):
            throw TransportError(
                .file, "Could not read the authorities in '\(path)': \(problem); check the path and its permissions.",
                cause: problem)
        }
    }
}
