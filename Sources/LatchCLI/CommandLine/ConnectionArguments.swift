import Arguments
import LatchKit
import Terminal

/// How to connect to a server, as the command line says it; `login` and `doctor` take the same options.
///
/// Where a value may be a secret, `@FILE` reads it from a file: other users of a machine can see a command line.
struct ConnectionArguments: Sendable {
    private static let authority = Option<String>(
        "ca", value: "FILE", completion: .file,
        help: "Trust the authorities in this PEM file too, besides the system's.")
    private static let certificate = Option<String>(
        "client-certificate", value: "FILE", completion: .file,
        help: "Show this certificate to the server: PEM, or PKCS#12 with its key.")
    private static let key = Option<String>(
        "client-key", value: "FILE", completion: .file,
        help: "The PEM certificate's private key, when it is in a file of its own.")
    private static let pin = Option<FingerprintWord>(
        "pin", value: "SHA256", help: "Accept the one certificate with this fingerprint, whoever signed it.")
    private static let header = OptionList<String>(
        "header", short: "H", value: "HEADER",
        help: "Send 'Name: value' with every request to this server; @FILE reads such lines from a file.")
    private static let proxy = Option<String>(
        "proxy", value: "URL",
        help:
            "Go through this proxy: http://, socks5:// or socks5h://; @FILE reads it from a file, 'none' goes straight."
    )

    /// In the order of help.
    static let all: [any ParameterDeclaring] = [authority, certificate, key, pin, header, proxy]

    private let authority: String?
    private let certificate: String?
    private let key: String?
    private let pin: CertificateFingerprint?
    private let headers: [String]
    private let proxy: String?

    init(_ given: Invocation) throws(ArgumentError) {
        authority = given[Self.authority]
        certificate = given[Self.certificate]
        key = given[Self.key]
        pin = given[Self.pin]?.fingerprint
        headers = given[Self.header]
        proxy = given[Self.proxy]
        if key != nil, certificate == nil { throw given.mistake("--client-key needs --client-certificate") }
    }

    /// Whether none was given.
    var isEmpty: Bool {
        authority == nil && certificate == nil && pin == nil && headers.isEmpty && proxy == nil
    }

    /// Reads the files that are named, and asks for a key's passphrase when it has one.
    func options(_ person: Person) async throws -> ConnectionOptions {
        var options = ConnectionOptions()
        if let authority {
            _ = try await InputFile.read(authority, what: "the authorities' file")
            options.authorities = .systemAnd(pemFile: InputFile.absolute(authority))
        }
        options.pinnedCertificate = pin
        options.extraHeaders = try await HeaderLines.read(headers)
        options.clientCertificate = try await clientCertificate(person)
        if let proxy { options.proxy = try await proxyAddress(proxy) }
        return options
    }

    private func clientCertificate(_ person: Person) async throws -> ClientCertificate? {
        guard let certificate else { return nil }
        let path = InputFile.absolute(certificate)
        let text = String(decoding: try await InputFile.read(path, what: "the client certificate"), as: UTF8.self)
        guard text.contains("-----BEGIN ") else {
            let passphrase = try await person.askSecret("Passphrase of \(certificate) (empty if it has none)")
            return .pkcs12(path: path, passphrase: passphrase.count == 0 ? nil : passphrase)
        }
        let keyPath = key.map(InputFile.absolute) ?? path
        let keyText = String(decoding: try await InputFile.read(keyPath, what: "the client key"), as: UTF8.self)
        let passphrase =
            keyText.contains("ENCRYPTED") ? try await person.askSecret("Passphrase of \(key ?? certificate)") : nil
        return .pem(certificate: path, key: keyPath, passphrase: passphrase)
    }

    private func proxyAddress(_ word: String) async throws -> String {
        guard word != "none" else { return "" }
        guard word.hasPrefix("@") else {
            guard !word.contains("@") else {
                throw LatchError(
                    .usage,
                    "A proxy's password does not belong on the command line, where others can see it. "
                        + "Write the address to a file and give --proxy @FILE.")
            }
            return word
        }
        let bytes = try await InputFile.read(String(word.dropFirst()), what: "the proxy's file")
        return InputFile.lines(bytes).first ?? ""
    }
}

/// A fingerprint as a word of the command line: 64 hexadecimal digits, with or without colons.
struct FingerprintWord: ArgumentValue {
    let fingerprint: CertificateFingerprint

    init(argument: String) throws(ArgumentValueError) {
        guard let fingerprint = CertificateFingerprint(argument) else {
            throw ArgumentValueError(expected: "a SHA-256 fingerprint: 64 hexadecimal digits, colons allowed")
        }
        self.fingerprint = fingerprint
    }
}
