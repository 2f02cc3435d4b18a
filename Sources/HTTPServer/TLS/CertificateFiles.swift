import CLibrary
import CMicroHTTPD

/// The two PEM files of a certificate and its key.
package struct CertificateFiles: Sendable, Equatable {
    /// The path of the certificates: the server's first, followed by the rest of its chain.
    package var certificatePath: String
    /// The path of the private key, which has no passphrase.
    package var keyPath: String

    /// Creates a value with the paths of the files. Reads nothing.
    package init(certificatePath: String, keyPath: String) {
        self.certificatePath = certificatePath
        self.keyPath = keyPath
    }

    /// Reads both files. The bytes of the key are erased afterwards.
    ///
    /// - Throws: ``HTTPServerError`` with code ``HTTPServerError/Code/certificate`` when a file cannot be read or has
    ///   invalid content, or the key does not belong to the certificate.
    package func read() throws(HTTPServerError) -> TLSCertificate {
        let certificate = try FileBytes(certificatePath, "certificate")
        let key = try FileBytes(keyPath, "key")
        do throws(TLSCertificate.Refusal) {
            return try TLSCertificate(certificate: certificate.bytes, key: key.bytes)
        } catch {
            throw HTTPServerError(.certificate, message(error))
        }
    }

    /// Returns the current version of the files, following symbolic links, or nil when one does not exist.
    ///
    /// Source: stat(2).
    package func version() -> Version? {
        guard let certificate = Version.File(certificatePath), let key = Version.File(keyPath) else { return nil }
        return Version(certificate: certificate, key: key)
    }

    /// Whether users other than the owner and the group of the key file may read it.
    package var isKeyOpenToOthers: Bool {
        var status = stat()
        return stat(keyPath, &status) == 0 && status.st_mode & 0o007 != 0
    }

    /// A value that changes when the content of a file changes, determined without reading the files.
    package struct Version: Sendable, Hashable {
        let certificate: File
        let key: File

        struct File: Sendable, Hashable {
            let device: UInt64
            let inode: UInt64
            let size: Int
            let changed: [Int]

            init?(_ path: String) {
                var status = stat()
                guard stat(path, &status) == 0 else { return nil }
                device = UInt64(status.st_dev)
                inode = UInt64(status.st_ino)
                size = status.st_size
                // Programs can restore the modification time, but not the time of the last status change. See inode(7).
                changed = [
                    status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
                ]
            }
        }
    }

    private func message(_ refusal: TLSCertificate.Refusal) -> String {
        switch refusal {
        case .certificate(let reason):
            "Could not use the certificate '\(certificatePath)': \(Self.clause(reason)); it must contain PEM "
                + "certificates, the server's first."
        case .key(let reason):
            "Could not use the key '\(keyPath)': \(Self.clause(reason)); it must contain one PEM private key."
        case .encryptedKey:
            "Could not use the key '\(keyPath)': it is encrypted; store it without a passphrase, "
                + "readable only for latchd."
        case .mismatch:
            "Could not use the certificate '\(certificatePath)': the key '\(keyPath)' does not belong to it; "
                + "configure a certificate and the key that belongs to it."
        case .memory: "Could not use the certificate '\(certificatePath)': there is not enough memory."
        }
    }

    /// Returns a message of GnuTLS as a part of a sentence.
    private static func clause(_ reason: String) -> String {
        // GnuTLS's message for a file without a certificate.
        if reason.hasPrefix("The requested data were not available") { return "it contains no certificate" }
        return reason.hasSuffix(".") ? String(reason.dropLast()) : reason
    }
}
