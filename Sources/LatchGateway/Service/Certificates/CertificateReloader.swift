import FoundationEssentials
import GatewayCore
package import HTTPServer
import Synchronization

/// Keeps the certificate of the server up to date with its files, which the operator's tools replace.
///
/// A new pair of files is read once both are unchanged between two checks. New connections get the new certificate;
/// existing connections continue with the old one. If a pair cannot be used, one line is logged, and the previous
/// certificate stays in use until there is a usable pair.
package final class CertificateReloader: Sendable {
    /// The interval at which a running gateway checks the files.
    static let interval = Duration.seconds(1)
    private static let retryInterval: TimeInterval = 60
    private static let warningInterval: TimeInterval = 86_400

    private struct State {
        /// The version of the files that the certificate in use was read from.
        var inUse: CertificateFiles.Version?
        /// The version of the files at the last check.
        var seen: CertificateFiles.Version?
        /// The version of the files that was refused last, and the reason.
        var refused: (version: CertificateFiles.Version?, message: String)?
        var nextTry = Date.distantPast
        var nextWarning = Date.distantPast
    }

    /// The source of the server's certificate.
    package let credentials: TLSCredentials
    private let files: CertificateFiles
    private let log: Log
    private let audit: AuditLog
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    /// Creates a reloader and reads the files.
    ///
    /// - Throws: `HTTPServerError` when they cannot be used.
    init(
        _ files: CertificateFiles, log: Log, audit: AuditLog, now: @escaping @Sendable () -> Date
    ) throws(HTTPServerError) {
        // The version is read first, so that the next check finds changes during the read.
        let version = files.version()
        credentials = TLSCredentials(try files.read())
        state = Mutex(State(inUse: version, seen: version))
        self.files = files
        self.log = log
        self.audit = audit
        self.now = now
        warn()
    }

    /// The certificate in use.
    package var certificate: TLSCertificate { credentials.certificate }

    /// The seconds until the certificate in use expires. Negative after its expiry.
    var secondsLeft: Int { Int(certificate.notAfter.timeIntervalSince(now()).rounded(.down)) }

    /// Checks the files and reads them if they differ from those in use.
    func checkFiles() {
        let version = files.version()
        let moment = now()
        let isDue = state.withLock { state in
            defer { state.seen = version }
            if version == state.inUse { state.refused = nil }
            guard version != state.inUse, version == state.seen else { return false }
            guard let refused = state.refused, refused.version == version else { return true }
            return state.nextTry <= moment
        }
        if isDue { load(isAsked: false) }
        if state.withLock({ $0.nextWarning <= moment }) { warn() }
    }

    /// Reads the files immediately, at the request of the operator. Logs the result even if nothing has changed.
    package func reload() {
        load(isAsked: true)
    }

    private func load(isAsked: Bool) {
        let version = files.version()
        do throws(HTTPServerError) {
            let certificate = try files.read()
            // The files are being written. A later check reads them when they no longer change.
            guard files.version() == version else {
                if isAsked { log.info("The certificate files are being written. They are read again afterwards.") }
                return
            }
            install(certificate, version)
        } catch {
            refuse(error.message, version, isAsked: isAsked)
        }
    }

    private func install(_ certificate: TLSCertificate, _ version: CertificateFiles.Version?) {
        let isOther = certificate.fingerprint != self.certificate.fingerprint
        credentials.replace(with: certificate)
        state.withLock { state in
            state.inUse = version
            state.refused = nil
        }
        let values: KeyValuePairs<String, LogValue?> = [
            "fingerprint": .text(certificate.fingerprint), "expires": .text(Timestamp.text(certificate.notAfter)),
            "names": .text(certificate.names.joined(separator: " ")),
        ]
        if isOther {
            log.info("The certificate was replaced.", values)
        } else {
            log.info("The certificate was reloaded. It has not changed.", values)
        }
        audit.record(
            AuditEvent(
                isOther ? .certificateReplaced : .certificateReread, certificate: certificate.fingerprint,
                expires: certificate.notAfter))
        warn()
    }

    private func refuse(_ message: String, _ version: CertificateFiles.Version?, isAsked: Bool) {
        let isNew = state.withLock { state in
            defer {
                state.refused = (version, message)
                state.nextTry = now().addingTimeInterval(Self.retryInterval)
            }
            return isAsked || state.refused?.message != message
        }
        if isNew { log.warning("Could not replace the certificate; the old one is kept.", ["error": .text(message)]) }
    }

    private func warn() {
        let moment = now()
        state.withLock { $0.nextWarning = moment.addingTimeInterval(Self.warningInterval) }
        let certificate = certificate
        for warning in CertificateWarning.all(for: certificate, files, now: moment) {
            log.warning(
                warning.message,
                [
                    "expires": .text(Timestamp.text(certificate.notAfter)),
                    "fingerprint": .text(certificate.fingerprint), "remedy": .text(warning.remedy),
                ])
        }
    }
}
