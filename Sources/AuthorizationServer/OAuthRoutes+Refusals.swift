import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPServer
import Primitives
import Synchronization

/// Limits how often refusals of clients are logged, because anybody can cause them: 60 in each minute.
final class RefusalLimit: Sendable {
    private struct State {
        var started = Date(timeIntervalSince1970: 0)
        var count = 0
    }

    /// The maximum number in each interval.
    static let maximum = 60
    private static let interval = 60.0

    private let state = Mutex(State())

    /// Counts a refusal, and returns how many were not logged since the last one that was. Nil when this one must not be
    /// logged either.
    func admit(at now: Date) -> Int? {
        state.withLock { state in
            // A clock may also be set back.
            if abs(now.timeIntervalSince(state.started)) >= Self.interval {
                let skipped = max(0, state.count - Self.maximum)
                state = State(started: now, count: 1)
                return skipped
            }
            state.count += 1
            return state.count <= Self.maximum ? 0 : nil
        }
    }
}

extension OAuthRoutes {
    /// Records that a client was refused at an endpoint.
    ///
    /// - Parameters:
    ///   - id: The `client_id` that was sent. Nil when there is none.
    ///   - reason: What is wrong.
    ///   - redirect: The redirect address that was sent, if that is what is wrong. Its query is not logged.
    ///   - request: The request.
    func recordRefusal(of id: String?, _ reason: String, redirect: String? = nil, _ request: ServerRequest) {
        guard let skipped = refusals.admit(at: services.now()) else { return }
        services.log.info(
            "A client of OAuth was refused.",
            [
                "client": id.flatMap { $0.displayName(limit: 64) }.map(LogValue.text), "reason": .text(reason),
                "redirect": redirect.flatMap(Self.logged).map(LogValue.text), "path": .text(request.path),
                "address": .text(services.proxies.client(of: request).description), "request": .text(request.id),
                "not_logged": skipped == 0 ? nil : .number(skipped),
            ])
    }

    /// Returns an address without query and fragment, at most 200 characters. Nil for one that may contain a password.
    private static func logged(_ redirect: String) -> String? {
        let place = String(redirect.prefix { $0 != "?" && $0 != "#" })
        return place.contains("@") ? nil : place.displayName(limit: 200)
    }

    /// Records that a client did not authenticate. Returns the refusal. Only a client that exists is in the audit
    /// log.
    ///
    /// - Throws: `DatabaseError`.
    func recordFailure(
        _ refusal: Refusal, _ id: String?, _ reason: StaticString, _ request: ServerRequest
    ) async throws -> Refusal {
        guard let id, id.utf8.count <= 255, let client = try await services.clients.client(id) else {
            recordRefusal(of: id, "unknown-client", request)
            return refusal
        }
        // A limit of its own, so that others cannot use it up with clients that do not exist.
        if failures.admit(at: services.now()) != nil {
            services.audit.record(
                AuditEvent(
                    .signInFailed, reason: reason, address: services.proxies.client(of: request).description,
                    request: request.id, client: client.id))
        }
        return refusal
    }
}

extension AuthorizationError {
    /// Whether the request itself is wrong, and not the state of the person's session or the decision.
    var isMistake: Bool {
        switch self {
        case .invalidRequest, .unsupportedResponseType, .requestNotSupported, .registrationNotSupported,
            .invalidTarget, .invalidScope, .requestURINotSupported:
            true
        case .accessDenied, .notAdmitted, .loginRequired, .consentRequired, .interactionRequired: false
        }
    }
}
