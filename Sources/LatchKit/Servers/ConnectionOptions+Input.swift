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

    /// Whether every request sets a field itself, by its lower-case name. A second field would break it.
    package static func isReserved(_ name: String) -> Bool {
        isReservedByConnection(name) || ["content-type", "content-encoding", "range"].contains(name)
    }

    /// Whether the connection sets a field itself, by its lower-case name.
    package static func isReservedByConnection(_ name: String) -> Bool {
        let fields: Set = [
            "host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te", "trailer",
            "expect",
        ]
        return fields.contains(name) || name.hasPrefix("proxy-")
    }

    /// Uses a proxy for all requests.
    ///
    /// - Parameter address: The address of the proxy. Nil uses the proxy of the environment variables, the empty string
    ///   uses none.
    /// - Throws: ``LatchError/Code/proxyFailed`` when the address is not valid. The error does not contain it, because it
    ///   may have a password.
    package mutating func setProxy(_ address: String?) throws(LatchError) {
        do throws(TransportError) {
            try HTTPClient.checkProxy(address ?? "")
        } catch {
            throw LatchError(error)
        }
        proxy = address
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
        guard let text = Self.bytes(of: path).map({ String(decoding: $0, as: UTF8.self) }),
            text.contains("CERTIFICATE-----")
        else {
            throw LatchError(
                .authoritiesUnreadable,
                "Could not use '\(path.printable)' as certificate authorities: it contains no PEM certificate. Choose a file "
                    + "with a line that begins with '-----BEGIN CERTIFICATE'.")
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
        guard let bytes = Self.bytes(of: path) else {
            throw LatchError(
                .clientCertificate,
                "Could not read the client certificate '\(path.printable)'. Choose another file, with its full path.")
        }
        if String(decoding: bytes, as: UTF8.self).contains("-----BEGIN ") {
            clientCertificate = .pem(certificate: path, key: path, passphrase: passphrase)
        } else if ClientCertificate.isPKCS12(bytes) {
            clientCertificate = .pkcs12(path: path, passphrase: passphrase)
        } else {
            throw LatchError(
                .clientCertificate,
                "Could not use '\(path.printable)' as a client certificate: it is neither PEM nor PKCS#12. Choose another "
                    + "file.")
        }
    }

    /// Reads a regular file with an absolute path.
    private static func bytes(of path: String) -> [UInt8]? {
        guard path.hasPrefix("/") else { return nil }
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            attributes[.type] as? FileAttributeType == .typeRegular,
            let size = attributes[.size] as? Int, size <= largestFile,
            let contents = FileManager.default.contents(atPath: path)
        else { return nil }
        return Array(contents)
    }
}

extension ClientCertificate {
    /// Whether a file begins like PKCS#12: with a sequence in any form of length that contains version 3.
    ///
    /// Source: RFC 7292 §4; ITU-T X.690 §8.1.3.
    package static func isPKCS12(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 8, bytes[0] == 0x30 else { return false }
        let lengthBytes = bytes[1] > 0x80 ? Int(bytes[1] & 0x7F) : 0
        return bytes.dropFirst(2 + lengthBytes).starts(with: [0x02, 0x01, 0x03])
    }
}
