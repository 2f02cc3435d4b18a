public import FoundationEssentials
public import HTTPServer
import Synchronization
import Wire

/// The gateway: people sign in to it, and it knows whose a token is.
///
/// Give ``router`` and ``accessed(_:)`` to an `HTTPServer`, and let ``run()`` run as long as that does.
///
/// What is revoked, disabled or signed out through this object is refused at once. What another process does to the
/// same database, such as `latchd sessions revoke`, is refused here within ``Gateway/noticeInterval`` and the time of
/// one look at the database, 250 ms together, while ``run()`` runs.
///
/// Source: ARCHITECTURE.md, Gateway; invariants 1, 2 and 3.
public final class Gateway: Sendable {
    /// How often a running gateway looks whether another process wrote to the database.
    public static let noticeInterval = Duration.milliseconds(200)

    /// People, sessions and logs.
    public let stores: GatewayStores
    /// The routes.
    public let router: Router
    /// What the routes stand on.
    let services: GatewayServices
    /// What gives tokens out and knows them again.
    let issuer: any SessionIssuer
    let attempts: SignInGuard
    let metrics: Metrics
    let isDraining: Flag
    /// Sign-in through identity providers; nil where there are none.
    let bridge: Bridge?
    /// The certificate, replaced with its files while ``run()`` runs; nil without TLS.
    public let certificates: CertificateKeeper?

    /// Opens the database and makes the routes.
    ///
    /// - Parameters:
    ///   - settings: What to run by.
    ///   - logWriter: Where log lines go; standard error by default.
    ///   - now: The clock that expiry is reckoned by.
    /// - Returns: The gateway, to be closed with ``close()``.
    /// - Throws: As ``GatewayStores/open(_:logWriter:now:)``; `HTTPServerError` when the certificate cannot be used.
    public static func open(
        _ settings: GatewaySettings, logWriter: LogWriter = .standardError(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws -> Gateway {
        // A start that is refused for its certificate leaves no database behind.
        _ = try settings.certificateFiles?.read()
        let stores = try await GatewayStores.open(settings, logWriter: logWriter, now: now)
        do {
            let certificates = try settings.certificateFiles.map {
                try CertificateKeeper($0, log: stores.log, audit: stores.audit, now: now)
            }
            return try Gateway(stores, certificates: certificates)
        } catch {
            await stores.close()
            throw error
        }
    }

    /// Makes a gateway on open stores.
    ///
    /// - Parameters:
    ///   - stores: Closed by ``close()``.
    ///   - issuer: What gives tokens out; tokens that the database looks up by default.
    ///   - codes: Where one-time codes wait to be exchanged; where the settings say by default.
    ///   - certificates: The certificate to keep; nil without TLS.
    /// - Throws: ``GatewayError`` or `TransportError` when a file that sign-in through identity providers needs cannot be
    ///   used; ``GatewayError/Code/routes`` when two dialects answer the same requests.
    ///
    /// Source: OX-6 for the issuer; OX-15 for the codes.
    public init(
        _ stores: GatewayStores, issuer: (any SessionIssuer)? = nil, codes: (any CodeStore)? = nil,
        certificates: CertificateKeeper? = nil
    ) throws {
        let settings = stores.settings
        let issuer =
            issuer
            ?? StatefulSessionIssuer(
                database: stores.database, lifetime: settings.sessions,
                enforcesPasswordChange: settings.passwordsEnabled, audit: stores.audit, now: stores.now)
        let attempts = SignInGuard(address: settings.addressLimit, account: settings.accountLimit, now: stores.now)
        let metrics = Metrics()
        let isDraining = Flag()
        let keys = settings.needsKeys ? try BridgeKeys.open(settings) : nil
        let bridge = try Bridge.open(stores, keys: keys, issuer: issuer, codes: codes, metrics: metrics)
        self.bridge = bridge
        self.stores = stores
        self.issuer = issuer
        self.attempts = attempts
        self.metrics = metrics
        self.isDraining = isDraining
        self.certificates = certificates
        services = GatewayServices(
            stores, issuer: issuer, attempts: attempts, metrics: metrics, bridge: bridge, keys: keys)
        router = try Self.router(services, isDraining, certificates)
        let apiKeys = stores.apiKeys
        stores.people.whenSessionsEnd { person in
            issuer.forget(person: person)
            apiKeys.forget(person: person)
        }
        stores.sessions.whenSessionsEnd { person in
            issuer.forget(person: person)
            apiKeys.forget(person: person)
        }
    }

    /// Has `/readyz` answer 503 from now on, so that no more requests are sent here; call it before the server stops.
    public func drain() {
        isDraining.raise()
    }

    /// Writes what is to be written and closes the database; call it after the server has stopped and ``run()`` ended.
    public func close() async {
        do {
            try await issuer.flush()
            try await stores.apiKeys.flush()
        } catch {
            stores.log.warning("The last uses of some sessions or keys were not written.")
        }
        await stores.close()
    }

    /// Logs what the server has to say; give it to `HTTPServer` as `onLog`.
    public func noted(_ event: ServerEvent) {
        let level: Log.Level =
            switch event.level {
            case .debug: .debug
            case .info: .info
            case .warning: .warning
            case .error: .error
            }
        stores.log.write(level, "Server.", ["event": .text(event.message), "with": .text(Self.text(event.metadata))])
    }

    private static func text(_ metadata: [String: String]) -> String {
        metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }

    /// Counts and logs a request that was answered; give it to `HTTPServer` as `onAccess`.
    ///
    /// Of a path that no route has, only short plain words are logged, and of the method only one that is known: a client may
    /// have put a token or a password there.
    public func accessed(_ record: AccessRecord) {
        metrics.request(
            route: record.route, method: record.method.rawValue, status: record.status.rawValue,
            duration: record.duration)
        let level: Log.Level = record.status.rawValue >= 500 ? .warning : .debug
        stores.log.write(
            level, "Request.",
            [
                "request": .text(record.id), "method": .text(Metrics.known(record.method.rawValue)),
                "path": .text(record.route ?? Self.plainWords(of: record.path)),
                "status": .number(record.status.rawValue), "bytes": .number(Int(record.bytes)),
                "milliseconds": .duration(record.duration), "peer": .text("\(record.peer)"),
            ])
    }

    private static func plainWords(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { word in
            let isPlain = word.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                    UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
            return isPlain && word.utf8.count <= 20 ? String(word) : "…"
        }.joined(separator: "/")
    }
}

/// A flag that is raised once.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { value.load(ordering: .acquiring) }

    func raise() {
        value.store(true, ordering: .releasing)
    }
}
