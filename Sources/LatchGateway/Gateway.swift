import AuthorizationServer
package import FoundationEssentials
package import GatewayConfiguration
package import GatewayCore
package import GatewayHTTP
import HTTPMessages
package import HTTPServer
package import SignInBridge

/// The gateway, which signs people in and identifies the owners of tokens.
///
/// Pass ``router`` and ``logAccess(_:)`` to an `HTTPServer`, and run ``run()`` as long as the server runs.
///
/// Revoking, disabling or signing out through this object takes effect immediately. A change that another process makes
/// to the same database, such as `latchd sessions revoke`, takes effect within 250 ms while ``run()`` runs: values in
/// memory are used for at most ``CacheLease/length`` after the database was asked for changes.
///
/// Source: ARCHITECTURE.md, Layers; Invariants 1, 2 and 3.
package final class Gateway: Sendable {
    /// The interval at which a running gateway asks the database for changes by others.
    package static let noticeInterval = Duration.milliseconds(100)

    /// The stores of people and sessions, and the logs.
    package let stores: GatewayStores
    /// The routes of all dialects.
    package let router: Router
    /// The services that the routes use.
    package let services: GatewayServices
    /// The dialects that are served.
    package let dialects: [any GatewayDialect]
    /// The issuer of session tokens, which also verifies them.
    package let issuer: any SessionIssuer
    package let attempts: SignInGuard
    package let metrics: Metrics
    let readiness: Readiness
    /// Sign-in through identity providers. Nil when there are none.
    package let bridge: Bridge?
    /// The comparison of this gateway's secret with those of other gateways. Nil when the settings need no secret.
    let keyAgreement: KeyAgreement?
    let clockWatch: ClockWatch
    private let failedRequests = LineLimit()
    /// The sign-outs that clients are told. Nil without the authorization server.
    let clientSignOuts: ClientSignOuts?
    /// The certificate, which is replaced when its files change while ``run()`` runs. Nil without TLS.
    package let certificates: CertificateReloader?

    /// Opens the database and makes the routes.
    ///
    /// - Parameters:
    ///   - settings: The settings of the gateway.
    ///   - logWriter: The output of the log. Default: standard error.
    ///   - now: The clock that determines expiry.
    /// - Returns: The gateway. Close it with ``close()``.
    /// - Throws: The errors of ``GatewayStores/open(_:logWriter:now:)``; `HTTPServerError` when the certificate cannot
    ///   be used; ``GatewayError/Code/file`` when another gateway on the database has another `bridge.key`.
    package static func open(
        _ settings: GatewaySettings, logWriter: LogWriter = .standardError(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws -> Gateway {
        // Checked first, so that a start that fails because of the certificate does not create a database.
        _ = try settings.certificateFiles?.read()
        let stores = try await GatewayStores.open(settings, logWriter: logWriter, now: now)
        do {
            let certificates = try settings.certificateFiles.map {
                try CertificateReloader($0, log: stores.log, audit: stores.audit, now: now)
            }
            let gateway = try Gateway(stores, certificates: certificates)
            try await gateway.keyAgreement?.require()
            try await stores.people.recordTrust(in: settings.providers + settings.disabledProviders)
            let count = try await stores.people.deleteGroups(exceptOf: settings.providers)
            if count > 0 {
                stores.log.info(
                    "Groups of providers that are not configured, or whose groups are not read, were deleted.",
                    ["identities": .number(count)])
            }
            // Until the database has answered, nothing in memory may be used.
            stores.lease.expire()
            await gateway.detectExternalWrites()
            return gateway
        } catch {
            await stores.close()
            throw error
        }
    }

    /// Makes a gateway on open stores.
    ///
    /// - Parameters:
    ///   - stores: The stores, which ``close()`` closes.
    ///   - issuer: The issuer of session tokens. Default: tokens that are looked up in the database.
    ///   - codes: The store of one-time codes. Default: the store that the settings name.
    ///   - certificates: The certificate reloader. Nil without TLS.
    ///   - families: The families whose apps the gateway can serve.
    /// - Throws: ``GatewayError`` or `TransportError` when a file that sign-in through identity providers needs cannot
    ///   be used; ``GatewayError/Code/routes`` when two dialects have routes for the same requests.
    ///
    /// Source: OX-6 for the issuer; OX-15 for the codes.
    package init(
        _ stores: GatewayStores, issuer: (any SessionIssuer)? = nil, codes: (any CodeStore)? = nil,
        certificates: CertificateReloader? = nil, families: [DialectFamily] = DialectFamily.all
    ) throws {
        let settings = stores.settings
        let metrics = Metrics()
        let readiness = Readiness()
        let keys =
            settings.needsKeys
            ? try BridgeKeys.open(file: settings.bridge.keyFile, database: settings.database.path) : nil
        let issuer = issuer ?? stores.sessionIssuer(keys)
        let attempts = SignInGuard(
            database: stores.database, key: keys?.attempts, address: settings.addressLimit,
            account: settings.accountLimit, now: stores.now)
        let codes = try codes ?? CodeStores.open(stores)
        let bridge = try codes.flatMap {
            try Bridge.open(stores, keys: keys, issuer: issuer, codes: $0, metrics: metrics)
        }
        self.bridge = bridge
        keyAgreement = keys.map { KeyAgreement(database: stores.database, keys: $0, now: stores.now) }
        clockWatch = ClockWatch(log: stores.log, metrics: metrics)
        self.stores = stores
        self.issuer = issuer
        self.attempts = attempts
        self.metrics = metrics
        self.readiness = readiness
        self.certificates = certificates
        services = GatewayServices(
            stores, issuer: issuer, attempts: attempts, metrics: metrics, bridge: bridge, keys: keys, codes: codes)
        clientSignOuts = try ClientSignOuts(services: services)
        dialects = DialectFamily.routes(families, services)
        router = try Self.router(
            services: services, dialects: dialects, readiness: readiness, certificates: certificates)
        let apiKeys = stores.apiKeys
        stores.people.onChange { person in
            issuer.invalidate(person: person)
            apiKeys.invalidate(person: person)
        }
        stores.sessions.onSessionsEnded { person in
            issuer.invalidate(person: person)
            apiKeys.invalidate(person: person)
        }
    }

    /// Makes `/readyz` respond with 503 from now on, so that load balancers send no more requests. Call it before the
    /// server stops.
    ///
    /// - Returns: Whether `/readyz` was requested in the last minute, so that a load balancer may notice.
    @discardableResult
    package func drain() -> Bool {
        readiness.beginStopping()
        return readiness.wasProbed(inLast: .seconds(60))
    }

    /// Writes pending data and closes the database. Call it after the server has stopped and ``run()`` has ended.
    package func close() async {
        // A task of its own, because the caller may be cancelled already.
        await Task { [self] in
            await attempt("Could not write the last uses of some sessions.") { try await self.issuer.flush() }
            await attempt("Could not write the last uses of some keys.") { try await self.stores.apiKeys.flush() }
            await attempt("Could not delete the attempts that ended.") { try await self.attempts.flush() }
            await attempt("Could not delete the check of the key; wait 3 minutes before you replace it.") {
                try await self.keyAgreement?.end()
            }
        }.value
        await clientSignOuts?.close()
        await stores.close()
    }

    /// Logs an event of the server. Pass it to `HTTPServer` as `onLog`.
    package func logServerEvent(_ event: ServerEvent) {
        let level: Log.Level =
            switch event.level {
            case .debug: .debug
            case .info: .info
            case .warning: .warning
            case .error: .error
            }
        stores.log.write(
            at: level, "Server event.", ["event": .text(event.message), "with": .text(Self.text(event.metadata))])
    }

    private static func text(_ metadata: [String: String]) -> String {
        metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }

    /// Counts and logs a finished request. Pass it to `HTTPServer` as `onAccess`.
    ///
    /// A client may have put a token or a password into the path or the method. Paths without a route are therefore
    /// logged with only their short plain components, at most ``maximumPathLength`` bytes, and only known methods are
    /// logged. A status from 500 on is a warning, within a ``LineLimit``, but not 501, which only means that the client
    /// sent what no server needs.
    package func logAccess(_ record: AccessRecord) {
        metrics.request(
            route: record.route, method: record.method.rawValue, status: record.status.rawValue,
            duration: record.duration)
        let isFailure = record.status.rawValue >= 500 && record.status.rawValue != 501
        let level: Log.Level = isFailure ? .warning : .debug
        var skipped = 0
        if isFailure {
            guard let before = failedRequests.admit(from: key(of: record.peer), at: stores.now()) else { return }
            skipped = before
        }
        stores.log.write(
            at: level, "Request.",
            [
                "request": .text(record.id), "method": .text(Metrics.known(record.method.rawValue)),
                "path": .text(record.route ?? Self.maskedPath(of: record.path)),
                "status": .number(record.status.rawValue), "bytes": .number(Int(record.bytes)),
                "milliseconds": .duration(record.duration), "peer": .text("\(record.peer)"),
                "trace": record.traceID.map { .text($0) }, "not_logged": skipped == 0 ? nil : .number(skipped),
            ])
    }

    /// The address that has a share of the lines. Nil for a proxy, whose requests come from many clients.
    private func key(of peer: PeerAddress) -> AddressKey? {
        stores.settings.trustedProxies.trusts(peer.ip) ? nil : AddressKey(peer.ip)
    }

    /// The maximum length of a logged path without a route, in bytes.
    static let maximumPathLength = 200

    private static func maskedPath(of path: String) -> String {
        let masked = maskedComponents(of: path)
        guard masked.utf8.count > maximumPathLength else { return masked }
        return String(decoding: masked.utf8.prefix(maximumPathLength), as: UTF8.self) + " (cut)"
    }

    private static func maskedComponents(of path: String) -> String {
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
