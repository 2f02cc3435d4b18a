import FoundationEssentials
public import HTTPServer
import Synchronization

/// Keeps the certificate that the server shows the same as the files that an operator's tools replace.
///
/// A new pair is taken when both files have lain unchanged from one look to the next, and shown to new connections; old
/// ones go on. A pair that cannot be used is refused with one line in the log, and the certificate of before stays in
/// use until there is one that can.
public final class CertificateKeeper: Sendable {
    /// How often a running gateway looks at the files.
    public static let interval = Duration.seconds(1)
    private static let retryInterval: TimeInterval = 60
    private static let warningInterval: TimeInterval = 86_400

    private struct State {
        /// What the certificate in use was read from.
        var inUse: CertificateFiles.Version?
        /// What was there at the last look.
        var seen: CertificateFiles.Version?
        /// What was there when it was last refused, and why.
        var refused: (version: CertificateFiles.Version?, message: String)?
        var nextTry = Date.distantPast
        var nextWarning = Date.distantPast
    }

    /// Where the server takes the certificate from.
    public let credentials: TLSCredentials
    private let files: CertificateFiles
    private let log: Log
    private let audit: AuditLog
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    /// Reads the files.
    ///
    /// - Throws: `HTTPServerError` when they cannot be used.
    init(
        _ files: CertificateFiles, log: Log, audit: AuditLog, now: @escaping @Sendable () -> Date
    ) throws(HTTPServerError) {
        // The version first: what is written in between is found at the next look.
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
    public var certificate: TLSCertificate { credentials.certificate }

    /// The seconds until the certificate in use expires; negative once it has.
    var secondsLeft: Int { Int(certificate.notAfter.timeIntervalSince(now()).rounded(.down)) }

    /// Looks at the files, and takes them when they are others than those in use.
    func look() {
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

    /// Reads the files now, because the operator asked to; says so in the log even when nothing has changed.
    public func reload() {
        load(isAsked: true)
    }

    private func load(isAsked: Bool) {
        let version = files.version()
        do throws(HTTPServerError) {
            let certificate = try files.read()
            // Somebody is writing: the next look finds it settled.
            guard files.version() == version else {
                if isAsked { log.info("The certificate is being written; it is read again once it has settled.") }
                return
            }
            take(certificate, version)
        } catch {
            refuse(error.message, version, isAsked: isAsked)
        }
    }

    private func take(_ certificate: TLSCertificate, _ version: CertificateFiles.Version?) {
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
            log.info("The certificate was read again; it is the same.", values)
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
        if isNew { log.warning("The certificate was not replaced; the old one stays.", ["error": .text(message)]) }
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
