import Crypto
import FoundationEssentials
import HTTPClient
import HTTPMessages
import Primitives

extension ConnectionOptions {
    /// The largest file with certificates, in bytes.
    private static let largestFile = 16 << 20

    /// Adds a header field to every request to the server. Replaces a field with the same name.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value. An error does not contain it, because it may be a secret.
    /// - Throws: ``LatchError/Code/invalidRequest`` for a field that is not valid, or that the session or the connection
    ///   sets itself.
    package mutating func setHeader(_ name: String, to value: String) throws(LatchError) {
        guard HTTPHeaders.isSafe(name: name, value: value), !value.isEmpty else {
            throw LatchError(
                .invalidRequest,
                "A header field needs a name of letters, digits and hyphens, and a value in one line. Correct it.")
        }
        guard !Self.isReserved(name.lowercased()) else {
            throw LatchError(
                .invalidRequest, "The header field \(name) is set by the session or the connection. Leave it out.")
        }
        extraHeaders[name] = nil
        extraHeaders.append(name, value)
    }

    /// Whether the connection sets a field itself, by its lower-case name. A second field would break it.
    private static func isReserved(_ name: String) -> Bool {
        let fields: Set = [
            "host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer",
            "expect", "content-type", "content-encoding", "range",
        ]
        return fields.contains(name) || name.hasPrefix("proxy-")
    }

    /// Uses the certificate authorities in a PEM file, besides those of the system.
    ///
    /// - Parameter path: The absolute path. Nil uses only those of the system.
    /// - Throws: ``LatchError/Code/authoritiesUnreadable`` when the file cannot be read or contains no certificate.
    package mutating func setAuthorities(file path: String?) throws(LatchError) {
        guard let path else {
            authorities = .system
            return
        }
        guard let text = Self.text(of: path), text.contains("CERTIFICATE-----") else {
            throw LatchError(
                .authoritiesUnreadable,
                "'\(path.printable)' contains no PEM certificate. Choose a file with a line that begins with "
                    + "'-----BEGIN CERTIFICATE'.")
        }
        authorities = .systemAnd(pemFile: path)
    }

    /// Presents a client certificate to the server.
    ///
    /// - Parameters:
    ///   - path: The absolute path of a PEM file with certificate and key, or of a PKCS#12 file. Nil presents none.
    ///   - passphrase: The passphrase of the key. Nil when it has none.
    /// - Throws: ``LatchError/Code/clientCertificate`` when the file cannot be read.
    package mutating func setClientCertificate(file path: String?, passphrase: Secret?) throws(LatchError) {
        guard let path else {
            clientCertificate = nil
            return
        }
        guard let text = Self.text(of: path) else {
            throw LatchError(
                .clientCertificate, "The client certificate '\(path.printable)' cannot be read. Choose another file.")
        }
        clientCertificate =
            text.contains("-----BEGIN ")
            ? .pem(certificate: path, key: path, passphrase: passphrase)
            : .pkcs12(path: path, passphrase: passphrase)
    }

    private static func text(of path: String) -> String? {
        guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int, size <= largestFile,
            let bytes = FileManager.default.contents(atPath: path)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
