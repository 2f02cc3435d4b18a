import Arguments
import HTTPClient
import LatchKit
import Primitives
import Terminal

/// The options for trust, client certificates and proxies. `login`, `doctor` and `tls` take the same ones.
///
/// Where a value may be a secret, `@FILE` reads it from a file, because other users of a machine can see a command
/// line.
struct TrustArguments: Sendable {
    private static let authority = Option<String>(
        "ca", value: "FILE", completion: .file,
        help: "Trust the certificate authorities in this PEM file in addition to the system's.")
    private static let onlyAuthority = Option<String>(
        "ca-only", value: "FILE", completion: .file,
        help: "Trust only the certificate authorities in this PEM file.")
    private static let certificate = Option<String>(
        "client-certificate", value: "FILE", completion: .file,
        help: "Present this certificate to the server: PEM, or PKCS#12 with its key.")
    private static let key = Option<String>(
        "client-key", value: "FILE", completion: .file,
        help: "The private key of the PEM certificate, if it is in a separate file.")
    private static let pin = Option<FingerprintArgument>(
        "pin", value: "SHA256", help: "Accept only the certificate with this fingerprint, regardless of its issuer.")
    private static let proxy = Option<String>(
        "proxy", value: "URL",
        help:
            "Use this proxy: http://, socks5:// or socks5h://. @FILE reads the URL from a file, 'none' connects "
            + "directly, 'environment' uses the proxy of the environment variables.")

    /// The options in the order of the help.
    static let all: [any ParameterDeclaring] = [authority, onlyAuthority, certificate, key, pin, proxy]

    private let authorities: CertificateAuthorities?
    private let certificate: String?
    private let key: String?
    private let pin: CertificateFingerprint?
    private let proxy: String?

    init(_ given: Invocation) throws(ArgumentError) {
        switch (given[Self.authority], given[Self.onlyAuthority]) {
        case (nil, nil): authorities = nil
        case (let file?, nil): authorities = .systemAnd(pemFile: Folders.absolute(file))
        case (nil, let file?): authorities = .only(pemFile: Folders.absolute(file))
        default: throw given.usageError("give either --ca or --ca-only")
        }
        certificate = given[Self.certificate]
        key = given[Self.key]
        pin = given[Self.pin]?.fingerprint
        proxy = given[Self.proxy]
        if key != nil, certificate == nil { throw given.usageError("--client-key needs --client-certificate") }
    }

    /// Whether no option was given.
    var isEmpty: Bool { authorities == nil && certificate == nil && pin == nil && proxy == nil }
    /// Whether authorities were given.
    var namesAuthorities: Bool { authorities != nil }
    /// Whether a pin was given.
    var namesPin: Bool { pin != nil }
    /// Whether a client certificate was given.
    var namesCertificate: Bool { certificate != nil }

    /// Rejects options that only work with an encrypted connection when the address has none, because they would
    /// suggest false security.
    ///
    /// - Throws: ``LatchError/Code/invalidInput``.
    func check(fits address: ServerAddress) throws(LatchError) {
        guard !address.isEncrypted, pin != nil || certificate != nil else { return }
        let problem =
            pin != nil ? "there is no certificate to pin" : "a client certificate cannot be presented"
        throw LatchError(
            .invalidInput,
            "\(address) is not encrypted, so \(problem). Use the server's https address: latch login "
                + ("https" + address.url.dropFirst(4)).forShell)
    }

    /// Sets the options that were given, and keeps the others. Reads the named files, and asks for the passphrase of a
    /// key that has one.
    func apply(to options: inout ConnectionOptions, _ prompter: Prompter) async throws {
        if let authorities {
            if let file = authorities.pemFile { try await Self.checkAuthorities(file) }
            options.authorities = authorities
        }
        if let pin { options.pinnedCertificate = pin }
        if let certificate { options.clientCertificate = try await clientCertificate(certificate, prompter) }
        if let proxy { try options.setProxy(try await proxyAddress(proxy)) }
    }

    private static func checkAuthorities(_ file: String) async throws {
        let bytes = try await InputFile.read(file, what: "the file of certificate authorities")
        guard String(decoding: bytes, as: UTF8.self).contains("CERTIFICATE-----") else {
            throw LatchError(
                .invalidInput,
                "'\(file.printable)' contains no PEM certificate: no line begins with '-----BEGIN CERTIFICATE'.")
        }
    }

    private func clientCertificate(_ certificate: String, _ prompter: Prompter) async throws -> ClientCertificate {
        let path = Folders.absolute(certificate)
        let bytes = try await InputFile.read(path, what: "the client certificate")
        guard String(decoding: bytes, as: UTF8.self).contains("-----BEGIN ") else {
            guard ClientCertificate.isPKCS12(bytes) else {
                throw LatchError(
                    .invalidInput,
                    "'\(certificate.printable)' is not a client certificate. It must be PEM, with a line that begins "
                        + "with '-----BEGIN', or PKCS#12 (.p12, .pfx).")
            }
            let passphrase = try await prompter.askSecret("Passphrase of \(certificate) (empty if it has none)")
            return .pkcs12(path: path, passphrase: passphrase.count == 0 ? nil : passphrase)
        }
        let keyPath = key.map(Folders.absolute) ?? path
        let keyText = String(decoding: try await InputFile.read(keyPath, what: "the client key"), as: UTF8.self)
        let passphrase =
            keyText.contains("ENCRYPTED") ? try await prompter.askSecret("Passphrase of \(key ?? certificate)") : nil
        return .pem(certificate: path, key: keyPath, passphrase: passphrase)
    }

    private func proxyAddress(_ word: String) async throws -> String? {
        switch word {
        case "none": return ""
        case "environment": return nil
        default: break
        }
        guard word.hasPrefix("@") else {
            guard !word.contains("@") else {
                throw LatchError(
                    .usage,
                    "Do not give a proxy password on the command line, where other users can see it. "
                        + "Write the URL to a file and give --proxy @FILE.")
            }
            return word
        }
        let bytes = try await InputFile.read(String(word.dropFirst()), what: "the proxy file")
        return InputFile.lines(bytes).first ?? ""
    }
}

/// A fingerprint on the command line: 64 hexadecimal digits, with or without colons.
struct FingerprintArgument: ArgumentValue {
    let fingerprint: CertificateFingerprint

    init(argument: String) throws(ArgumentValueError) {
        guard let fingerprint = CertificateFingerprint(argument) else {
            throw ArgumentValueError(expected: "a SHA-256 fingerprint: 64 hexadecimal digits, colons allowed")
        }
        self.fingerprint = fingerprint
    }
}
