import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import Primitives

extension OAuthRoutes {
    /// Records that a client was refused at an endpoint.
    ///
    /// - Parameters:
    ///   - id: The `client_id` that was sent. Nil when there is none.
    ///   - reason: What is wrong.
    ///   - redirect: The redirect address that was sent, if that is what is wrong. Its query is not logged.
    ///   - request: The request.
    func recordRefusal(of id: String?, _ reason: String, redirect: String? = nil, _ request: ServerRequest) {
        let address = services.proxies.client(of: request)
        guard let skipped = refusals.admit(from: AddressKey(address), at: services.now()) else { return }
        services.log.info(
            "A client of OAuth was refused.",
            [
                "client": id.flatMap { $0.displayName(limit: 64) }.map(LogValue.text), "reason": .text(reason),
                "redirect": redirect.flatMap(Self.logged).map(LogValue.text), "path": .text(request.path),
                "address": .text(address.description), "request": .text(request.id),
                "not_logged": skipped == 0 ? nil : .number(skipped),
            ])
    }

    /// Returns an address without query and fragment, at most 200 characters. Nil for one that may contain a password.
    private static func logged(_ redirect: String) -> String? {
        let place = String(redirect.prefix(beforeBytes: "?#"))
        return place.utf8.contains(UInt8(ascii: "@")) ? nil : place.displayName(limit: 200)
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
        recordFailure(of: nil, reason, client, request)
        return refusal
    }

    /// Records in the audit log that a client that exists was refused. The limit is another one than that of clients
    /// that do not exist, so that they cannot use it up.
    ///
    /// - Parameters:
    ///   - person: The person whose sign-in it was. Nil when that is not known.
    ///   - reason: What is wrong.
    ///   - client: The client.
    ///   - request: The request.
    func recordFailure(
        of person: UUID?, _ reason: StaticString, _ client: RegisteredClient, _ request: ServerRequest
    ) {
        let address = services.proxies.client(of: request)
        guard failures.admit(from: AddressKey(address), at: services.now()) != nil else { return }
        services.audit.record(
            AuditEvent(
                .signInFailed, reason: reason, person: person, address: address.description, request: request.id,
                client: client.id))
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
