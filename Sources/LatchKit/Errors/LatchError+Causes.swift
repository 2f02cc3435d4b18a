import Database
import HTTPClient
import SecretStorage

extension LatchError {
    /// Converts any error of the underlying modules, with a message for people. The message names `server`, to which
    /// the request was sent.
    ///
    /// A ``LatchError`` is not changed. `CancellationError` becomes ``Code/cancelled``.
    init(_ error: any Error, asking server: ServerAddress? = nil) {
        switch error {
        case let error as LatchError: self = error
        case is CancellationError: self.init(.cancelled, "Stopped before completion.")
        case let error as TransportError: self.init(transport: error, server)
        case let error as SecretStorageError: self.init(secrets: error)
        case let error as DatabaseError: self.init(storage: error)
        default: self.init(.storageFailed, "An unexpected error occurred: \(error).", cause: error)
        }
    }

    /// Runs `body` and converts its errors to ``LatchError``. `CancellationError` is rethrown unchanged.
    package static func converting<Value>(
        _ server: ServerAddress? = nil, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw LatchError(error, asking: server)
        }
    }

    private init(transport error: TransportError, _ server: ServerAddress?) {
        let name = server?.description ?? "the server"
        if error.isOtherOrigin {
            self.init(.connectionLost, error.message, cause: error)
            return
        }
        if let problem = error.code.certificateProblem {
            self.init(certificate: problem, name, error)
            return
        }
        let (code, message): (Code, String) =
            switch error.code {
            case .invalidAddress: (.invalidAddress, "Invalid server URL: \(error.message)")
            case .invalidRequest: (.invalidRequest, error.message)
            case .nameNotFound:
                (
                    .nameNotFound,
                    "Server is not reachable: the name '\(server?.host ?? name)' has no address. "
                        + "Check the spelling, and that this machine is online."
                )
            case .refused:
                (
                    .connectionRefused,
                    "Server is not reachable: \(name) refuses the connection. "
                        + "Check that the server runs and that the port is right."
                )
            case .unreachable where error.lacksDescriptors: (.unreachable, error.message)
            case .unreachable:
                (
                    .unreachable,
                    "Server is not reachable: there is no network route to \(name). "
                        + "Check the network connection, or the VPN if the server needs one."
                )
            case .timedOut:
                (
                    .timedOut,
                    "Server is not reachable: \(name) did not respond in time. "
                        + "Check the network connection and that the server runs, then try again."
                )
            case .clientCertificate: (.clientCertificate, "SSL certificate error: \(error.message)")
            case .tls:
                (
                    .tlsFailed,
                    "Could not set up an encrypted connection to \(name): this program and the server have no TLS "
                        + "version or cipher in common, or the server does not use TLS on this port. "
                        + "If the server uses plain HTTP on this port, write http:// before its name."
                )
            case .proxy: (.proxyFailed, error.message)
            case .tooLarge: (.responseTooLarge, error.message)
            case .tooManyRedirects, .redirectRefused: (.serverRefused, error.message)
            case .file, .fileExists, .fileRefused, .diskFull: (.fileFailed, error.message)
            default:
                (
                    .connectionLost,
                    "The connection to \(name) was lost before the response was complete. Try again"
                        + (name.hasPrefix("http://") ? ", with https:// if the server uses TLS on this port." : ".")
                )
            }
        self.init(code, message, cause: error)
    }

    private init(certificate problem: CertificateProblem, _ name: String, _ error: TransportError) {
        let start = "SSL certificate error: the certificate of \(name) "
        let (code, rest): (Code, String) =
            switch problem {
            case .unknownIssuer:
                (
                    .certificateUnknownIssuer,
                    "was issued by an authority that this machine does not trust. "
                        + "Specify the authority's certificate as a CA file, or confirm the server's fingerprint."
                )
            case .selfSigned:
                (
                    .certificateSelfSigned,
                    "is self-signed. Compare its fingerprint with the one on the server, and confirm it if they match."
                )
            case .expired: (.certificateExpired, "has expired. Ask the server's operator to renew it.")
            case .notYetValid:
                (.certificateNotYetValid, "is not valid yet. Check this machine's clock.")
            case .wrongName:
                (
                    .certificateWrongName,
                    "is valid for another name. Use the name in the certificate, or ask the server's operator."
                )
            case .pinMismatch:
                (
                    .certificatePinMismatch,
                    "is not the one that you confirmed. If the operator did not renew it, another system may be "
                        + "intercepting the connection. If the operator did, sign in again to confirm the new one."
                )
            case .other: (.certificateUntrusted, "was not accepted. \(error.message)")
            }
        self.init(code, start + rest, cause: error)
    }

    private init(secrets error: SecretStorageError) {
        let code: Code =
            switch error.code {
            case .locked: .secretStoreLocked
            case .absent: .secretStoreAbsent
            case .denied: .secretStoreDenied
            case .damaged, .lockDamaged: .secretStoreDamaged
            case .wrongPassphrase: .wrongPassphrase
            case .pinRequired: .pinRequired
            default: .secretStoreFailed
            }
        self.init(code, error.message, remedy: error.code == .lockDamaged ? .removeLock : nil, cause: error)
    }

    private init(storage error: DatabaseError) {
        let code: Code =
            switch error.code {
            case .corrupt, .notADatabase: .storageDamaged
            case .readOnly: .storageReadOnly
            case .full: .storageFull
            case .newerThanProgram: .storageNewer
            case .locked: .storageLocked
            default: .storageFailed
            }
        self.init(code, error.message, cause: error)
    }
}
