import Database
import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import ServerMessages

/// Adds routes of the Immich dialect. Errors are sent in the dialect's envelope, and every response has the request's
/// id.
struct ImmichRouting: Sendable {
    let prefix: String
    let log: Log
    let now: @Sendable () -> Date
    let access: ImmichAccess
    let database: Database

    /// Adds a route without parameters.
    func on(
        _ method: HTTPMethod, _ path: String, to router: inout Router,
        handler: @escaping @Sendable (ServerRequest) async throws -> ServerResponse
    ) {
        router.on(method, prefix + path) { request in await response(request) { try await handler(request) } }
    }

    /// Adds a route that accepts bodies of up to `maximumBodyBytes` bytes, only from signed-in callers.
    func on(
        _ method: HTTPMethod, _ path: String, maximumBodyBytes: Int, to router: inout Router,
        handler: @escaping @Sendable (ServerRequest) async throws -> ServerResponse
    ) {
        router.on(
            method, prefix + path, maximumBodyBytes: maximumBodyBytes, admission: { await refusal(of: $0) }
        ) { request in
            await response(request) { try await handler(request) }
        }
    }

    /// Adds a route with an id as its only path parameter.
    func on(
        _ method: HTTPMethod, id path: String, to router: inout Router,
        handler: @escaping @Sendable (ServerRequest, UUID) async throws -> ServerResponse
    ) {
        router.on(method, prefix + path, parameters: String.self) { request, text in
            await response(request) {
                guard let id = Self.id(text) else {
                    throw ImmichRefusal([.init(path: ["id"], message: "Invalid UUID", code: "invalid_format")])
                }
                return try await handler(request, id)
            }
        }
    }

    /// Parses an id as the API description defines it: a UUID of version 4, in upper or lower case.
    static func id(_ text: String) -> UUID? {
        let bytes = Array(text.utf8)
        guard bytes.count == 36, bytes[14] == UInt8(ascii: "4"), "89abAB".utf8.contains(bytes[19]) else { return nil }
        return UUID(uuidString: text)
    }

    private func response(_ request: ServerRequest, _ body: () async throws -> ServerResponse) async -> ServerResponse {
        let response: ServerResponse
        do {
            response = try await RequestActor.checkingWrites(now: now) {
                var response = try await body()
                if let check = RequestActor.checkWhileSending(database) {
                    response.body = response.body.checked(check)
                }
                return response
            }
        } catch {
            response = failure(error, request)
        }
        return ImmichResponses.correlated(response, headers: request.headers, id: request.id)
    }

    /// Returns the refusal of a request whose caller is not signed in, or nil when the caller is signed in.
    private func refusal(of request: ServerRequest) async -> ServerResponse? {
        do {
            _ = try await access.caller(of: request)
            return nil
        } catch {
            return ImmichResponses.correlated(failure(error, request), headers: request.headers, id: request.id)
        }
    }

    /// Returns the response to an error that a route does not handle itself.
    func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse {
        switch error {
        case let error as ImmichRefusal:
            return error.response
        case let error as GatewayError where error.code == .sessionEnded:
            return ImmichResponses.failure(.unauthorized, "Invalid user token")
        case let error as GatewayError where error.code == .recentSignInRequired:
            return ImmichResponses.failure(.forbidden, error.message)
        default:
            return UnexpectedFailure(error, of: request, log: log).response(
                internalError: "Internal server error", ImmichResponses.failure)
        }
    }
}
