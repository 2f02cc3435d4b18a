import FoundationEssentials
import GatewayCore
package import GatewayHTTP
package import HTTPMessages
package import HTTPServer

/// The routes for clients of Relate Mail: the discovery, the profile, and the API keys of programs.
///
/// A value without state. The stores and settings that it uses belong to the gateway.
///
/// Source: docs/protocols/relate-mail.md; RM-4, RM-6, RM-8.
package struct RelateMailRoutes: ServiceDialect {
    package let services: GatewayServices
    package let settings: RelateMailSettings
    let access: RelateMailAccess

    package init(services: GatewayServices) {
        self.services = services
        settings = services.settings.relateMail
        access = RelateMailAccess(services)
    }

    package var name: String { "dialects.relate-mail" }
    package var prefix: String { settings.prefix }

    private static let credentials = "/api/smtp-credentials"

    /// Whether the path belongs to a Relate Mail server. Other paths below the prefix are not included, because without
    /// a prefix other dialects have paths there too.
    package func owns(_ path: String) -> Bool {
        guard path.hasPrefix(prefix) else { return false }
        let rest = path.dropFirst(prefix.count)
        return ["/api/discovery", "/config", "/api/profile", Self.credentials].contains { address in
            rest == address || rest.hasPrefix(address + "/")
        }
    }

    /// Returns the response to a request that the server refuses before any route runs.
    package func serverError(_ status: HTTPStatus, _ sentence: String, for request: RefusedRequest) -> ServerResponse {
        RelateMailResponses.serverError(status, sentence, request: request.id)
    }

    /// Adds the routes under the prefix.
    package func add(to router: inout Router) {
        addDiscovery(to: &router)
        add(.get, "/api/profile", limit: .general, to: &router) { try await $0.profile(of: $2.person) }
        add(.put, "/api/profile", limit: .change(.other), to: &router) { try await $0.changeProfile($1, $2) }
        add(.get, Self.credentials, limit: .credentials, to: &router) { try await $0.keys(of: $2.person) }
        add(.post, Self.credentials, limit: .credentials, to: &router) { try await $0.makeKey($1, $2) }
        add(.post, Self.credentials + "/mobile", limit: .credentials, to: &router) {
            try await $0.makeMobileKey($1, $2)
        }
        router.on(.delete, prefix + Self.credentials + "/{id}", parameters: String.self) { request, id in
            await response(to: request, limit: .change(.endsAccess)) { try await $0.revokeKey(id, in: $1, for: $2) }
        }
    }

    /// Adds the routes whose responses are the same for everyone. The responses are created once.
    private func addDiscovery(to router: inout Router) {
        let (discovery, configuration) = (self.discovery, self.configuration)
        router.on(.get, prefix + "/api/discovery", synchronousHandler: { _ in discovery }, handler: { _ in discovery })
        router.on(
            .get, prefix + "/config/config.json", synchronousHandler: { _ in configuration },
            handler: { _ in configuration })
    }

    private typealias Action =
        @Sendable (RelateMailRoutes, ServerRequest, RelateMailCaller) async throws
        -> ServerResponse

    private func add(
        _ method: HTTPMethod, _ path: String, limit: RelateMailLimit, to router: inout Router,
        action: @escaping Action
    ) {
        router.on(method, prefix + path) { request in
            await response(to: request, limit: limit, action: action)
        }
    }

    private func response(
        to request: ServerRequest, limit: RelateMailLimit, action: Action
    ) async -> ServerResponse {
        do {
            return try await RequestActor.checkingWrites(now: services.now) {
                let caller = try await access.caller(of: request, limit)
                RequestActor.identify(caller.credential)
                return try await action(self, request, caller)
            }
        } catch {
            return failure(error, request)
        }
    }
}

extension RelateMailRoutes {
    package func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse {
        switch error {
        case let refusal as RelateMailRefusal: return Self.refusal(refusal)
        case let error as RequestError where error.status == .unsupportedMediaType:
            return RelateMailResponses.problem(error.status, "Unsupported Media Type", request: request.id)
        case let error as RequestError:
            return RelateMailResponses.invalid(["$": [error.message]], request: request.id)
        // The account or the key was ended during the request.
        case let error as GatewayError where [.sessionEnded, .unknownPerson].contains(error.code):
            return RelateMailResponses.unauthorized(hadCredentials: true)
        case let error as GatewayError where error.code == .recentSignInRequired:
            return RelateMailResponses.sentence(.forbidden, error.message)
        default:
            return UnexpectedFailure(error, of: request, log: services.log).response(
                internalError: RelateMailResponses.internalError, RelateMailResponses.sentence)
        }
    }

    private static func refusal(_ refusal: RelateMailRefusal) -> ServerResponse {
        switch refusal {
        case .anonymous: RelateMailResponses.unauthorized(hadCredentials: false)
        case .unauthorized: RelateMailResponses.unauthorized(hadCredentials: true)
        case .forbidden(let sentence): RelateMailResponses.sentence(.forbidden, sentence)
        case .limited(let wait): RelateMailResponses.tooMany(wait)
        case .providerUnavailable:
            RelateMailResponses.unavailable(
                "The identity provider does not respond. Try again in a minute.", .seconds(10))
        }
    }
}
