import Crypto
import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer

/// The routes of a server of Notes.
struct NotesRoutes: ServiceDialect {
    let services: GatewayServices

    var name: String { "dialects.notes" }
    var prefix: String { "/notes" }

    func add(to router: inout Router) {
        add(.get, "/server", to: &router) { _, _ in .privateJSON(NotesServer(name: "Notes")) }
        add(.post, "/sign-in", to: &router) { try await $0.signIn($1) }
        add(.get, "/me", to: &router) { try await $0.me($1) }
        add(.post, "/sign-out", to: &router) { try await $0.signOut($1) }
    }

    private func signIn(_ request: ServerRequest) async throws -> ServerResponse {
        guard let body = try? request.json(NotesCredentials.self) else {
            return Self.refusal(.badRequest, "The body must have 'email' and 'password'.")
        }
        let outcome = try await services.signIn.attempt(
            EmailAddress(normalizing: body.email), Secret(body.password), from: origin(of: request), canChange: false)
        switch outcome {
        case .signedIn(let credential): return .privateJSON(NotesToken(token: credential.token.reveal()))
        case .refused: return Self.refusal(.unauthorized, "The e-mail address or the password is wrong.")
        case .passwordChangeRequired: return Self.refusal(.forbidden, services.passwordChangeSentence)
        case .limited(let wait):
            return Self.refusal(.tooManyRequests, "Too many attempts failed.").retry(after: wait)
        }
    }

    private func me(_ request: ServerRequest) async throws -> ServerResponse {
        guard let token = RequestTokens(request, cookie: nil).first,
            case .valid(let session) = try await services.issuer.authenticate(token)
        else { return Self.refusal(.unauthorized, NotesError.sessionEnded) }
        return .privateJSON(NotesPerson(id: session.person.id.uuidString, email: session.person.email))
    }

    private func signOut(_ request: ServerRequest) async throws -> ServerResponse {
        guard let token = RequestTokens(request, cookie: nil).first, try await services.issuer.end(token) != nil else {
            return Self.refusal(.unauthorized, NotesError.sessionEnded)
        }
        return .noContent
    }

    func serverError(_ status: HTTPStatus, _ sentence: String, for request: RefusedRequest) -> ServerResponse {
        Self.refusal(status, sentence)
    }

    func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse {
        UnexpectedFailure(error, of: request, log: services.log).response(
            internalError: "Internal error.", Self.refusal)
    }

    private static func refusal(_ status: HTTPStatus, _ sentence: String) -> ServerResponse {
        .privateJSON(NotesError(error: sentence), status: status)
    }
}
