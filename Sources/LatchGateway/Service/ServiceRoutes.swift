import Database
import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import SignInBridge
import Synchronization

/// The routes for monitoring the gateway: `/healthz`, `/readyz`, `/metrics`.
struct ServiceRoutes: Sendable {
    let database: Database
    let sessions: SessionAdministration
    let issuer: any SessionIssuer
    let hasher: PasswordHasher
    let metrics: Metrics
    let settings: MetricsSettings
    let log: Log
    let now: @Sendable () -> Date
    let codes: (any CodeStore)?
    let readiness: Readiness
    let certificateSecondsLeft: @Sendable () -> Int?
    private let isDatabaseReplaced = LoggedState()

    /// Fails also when the database has no tables of the gateway.
    static let ask = Statement("SELECT EXISTS (SELECT 1 FROM people)")

    /// Adds the routes.
    func add(to router: inout Router) {
        router.on(.get, "/healthz") { _ in Self.response(.ok, "alive") }
        router.on(.get, "/readyz") { _ in await ready() }
        router.on(.get, "/metrics") { request in await metricsPage(request) }
    }

    /// Returns the names under which a route is served. Probes are served under every name, because their response
    /// contains no personal data and no secret. The metrics are served only under the server's own name, an IP address
    /// or a name without a dot.
    /// Otherwise a page of another site could read them.
    static func hostScope(of pattern: String) -> HostCheck.Scope {
        switch pattern {
        case "/healthz", "/readyz": .anyHost
        case "/metrics": .monitoring
        default: .own
        }
    }

    /// Responds that the gateway is ready, if the database and the store of one-time codes respond and the gateway is
    /// not shutting down.
    private func ready() async -> ServerResponse {
        readiness.recordProbe()
        if readiness.isStopping { return Self.response(.serviceUnavailable, "draining") }
        do {
            _ = try await database.read { try $0.run(Self.ask) }
            metrics.databaseAnswered(at: now())
            if isDatabaseReplaced.set(false) { log.info("The original database is back.") }
        } catch let error as DatabaseError where error.code == .moved {
            log.count(error)
            if isDatabaseReplaced.set(true) {
                log.error("The database was replaced.", ["error": .text(error.message)])
            }
            return Self.response(
                .serviceUnavailable, "database",
                detail:
                    "the database behind this address is not the one this gateway started with; restart the gateway "
                    + "if that is intended")
        } catch {
            log.count(error)
            log.warning("The database does not respond.")
            return Self.response(.serviceUnavailable, "database")
        }
        if let codes, await !codes.isReady() {
            log.warning("The store of one-time codes does not respond.")
            return Self.response(.serviceUnavailable, "codes")
        }
        return Self.response(.ok, "ready")
    }

    /// Serves the metrics to allowed peers. Requests through a proxy are refused, because all of them have the proxy's
    /// address. A refused request gets the same response as an unknown path.
    private func metricsPage(_ request: ServerRequest) async -> ServerResponse {
        guard settings.isEnabled, !Self.wasForwarded(request), isAllowed(request.peer) else {
            return DefaultResponses.detail(.notFound, "Not Found")
        }
        let gauges = MetricsPage.Gauges(
            sessionsLive: await sessionsLive(), sessionsCached: issuer.cachedCount,
            hashingQueueDepth: hasher.queueDepth, databaseCommits: Int(database.commitCount),
            databaseWrites: Int(database.writeCount), databaseErrors: log.databaseErrors,
            droppedLogLines: log.droppedLines, certificateSecondsLeft: certificateSecondsLeft())
        return ServerResponse(
            status: .ok, headers: ["Content-Type": MetricsPage.mediaType, "Cache-Control": "no-store"],
            body: Array(MetricsPage.text(metrics.counts, gauges).utf8))
    }

    /// Returns the number of live sessions, or nil when the database does not answer.
    private func sessionsLive() async -> Int? {
        do {
            let count = try await sessions.liveCount()
            metrics.databaseAnswered(at: now())
            return count
        } catch {
            log.count(error)
            return nil
        }
    }

    private func isAllowed(_ peer: PeerAddress) -> Bool {
        guard let address = peer.ip else { return true }
        return settings.allowed.contains { $0.contains(address) }
    }

    private static func wasForwarded(_ request: ServerRequest) -> Bool {
        ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"].contains { request.headers[$0] != nil }
    }

    /// Returns a response of one word and, optionally, a sentence that needs no escapes in JSON. With 503, `Retry-After`
    /// asks to try again after a second, as other routes do while the database does not respond.
    private static func response(_ status: HTTPStatus, _ word: StaticString, detail: String? = nil) -> ServerResponse {
        let detail = detail.map { #","detail":"\#($0)""# } ?? ""
        let response = ServerResponse(
            status: status, headers: .privateJSON, body: Array(#"{"status":"\#(word)"\#(detail)}"#.utf8))
        return status == .serviceUnavailable ? response.retry(after: .seconds(1)) : response
    }
}

/// A state of which the log reports the beginning and the end.
private final class LoggedState: Sendable {
    private let value = Atomic(false)

    /// Sets the state. Returns whether it has changed.
    func set(_ isActive: Bool) -> Bool { value.exchange(isActive, ordering: .acquiringAndReleasing) != isActive }
}
