/// A certificate authority for one test, created with the `openssl` command in its own folder.
public struct Authority: Sendable {
    /// The files of a certificate and its key.
    public struct Pair: Sendable {
        /// The path of the certificate in PEM.
        public var certificate: String
        /// The path of the key in PEM.
        public var key: String

        /// Creates a pair from two paths.
        public init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// The folder with all files of the authority.
    public let folder: TemporaryDirectory
    /// The certificate and key of the authority.
    public let own: Pair

    /// Creates an authority that is valid for 30 days.
    public static func make(_ name: String = "Test Authority") async throws -> Authority {
        let folder = try TemporaryDirectory()
        let own = Pair(certificate: folder.file("ca.pem"), key: folder.file("ca.key"))
        try await openssl(
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"]
                + ["-subj", "/CN=\(name)", "-keyout", own.key, "-out", own.certificate])
        try folder.write("", to: "index.txt")
        try folder.write(
            """
            [ca]
            default_ca = own
            [own]
            database = \(folder.file("index.txt"))
            new_certs_dir = \(folder.path)
            rand_serial = yes
            default_md = sha256
            policy = any
            unique_subject = no
            [any]
            commonName = supplied
            """, to: "ca.cnf")
        return Authority(folder: folder, own: own)
    }

    /// Issues a certificate. `from` and `to` are times in the format `20200101000000Z`.
    public func issue(
        _ name: String = "localhost", for names: String = "DNS:localhost,IP:127.0.0.1", from: String? = nil,
        to: String? = nil, passphrase: String? = nil
    ) async throws -> Pair {
        let number = UInt32.random(in: .min ... .max)
        let pair = Pair(certificate: folder.file("\(number).crt"), key: folder.file("\(number).key"))
        let request = folder.file("\(number).csr")
        let extensions = try folder.write("subjectAltName = \(names)\n", to: "\(number).ext")
        try await Self.openssl(
            ["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-subj", "/CN=\(name)"]
                + ["-keyout", pair.key, "-out", request]
                + (passphrase.map { ["-passout", "pass:\($0)"] } ?? ["-nodes"]))
        try await Self.openssl(
            [
                "ca", "-batch", "-notext", "-config", folder.file("ca.cnf"), "-cert", own.certificate, "-keyfile",
                own.key,
            ]
                + ["-in", request, "-out", pair.certificate, "-extfile", extensions, "-days", "30"]
                + (from.map { ["-startdate", $0] } ?? []) + (to.map { ["-enddate", $0] } ?? []))
        return pair
    }

    /// Creates a self-signed certificate.
    public func selfSigned(_ name: String = "localhost") async throws -> Pair {
        let pair = Pair(certificate: folder.file("self.crt"), key: folder.file("self.key"))
        try await Self.openssl(
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"]
                + ["-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:\(name),IP:127.0.0.1"]
                + ["-keyout", pair.key, "-out", pair.certificate])
        return pair
    }

    /// Creates a PKCS#12 file of `pair` and returns its path.
    public func pkcs12(_ pair: Pair, passphrase: String) async throws -> String {
        let path = folder.file("identity.p12")
        try await Self.openssl(
            ["pkcs12", "-export", "-in", pair.certificate, "-inkey", pair.key, "-out", path]
                + ["-passout", "pass:\(passphrase)"])
        return path
    }

    /// Returns the SHA-256 fingerprint of a certificate as the `openssl` command prints it.
    public func fingerprint(_ certificate: String) async throws -> String {
        let result = try await Self.openssl(["x509", "-in", certificate, "-noout", "-fingerprint", "-sha256"])
        return result.trimmingPrefix { $0 != "=" }.dropFirst().filter { !$0.isNewline }
    }

    @discardableResult
    private static func openssl(_ arguments: [String]) async throws -> String {
        let result = try await Program.run("openssl", arguments)
        guard result.status == 0 else {
            throw ChildProcess.Failure("openssl \(arguments): \(result.errors)")
        }
        return result.output
    }
}
