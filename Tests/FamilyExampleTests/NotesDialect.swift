import Crypto
import HTTPClient
import HTTPMessages

@testable import LatchKit

/// The dialect of Notes.
struct NotesDialect: PasswordDialect {
    var id: DialectID { DialectID(rawValue: "notes") }
    var title: String { "Notes" }
    var probe: DialectRequest { DialectRequest(.get, "/notes/server") }
    var identity: DialectRequest { DialectRequest(.get, "/notes/me") }

    func match(_ response: ClientResponse) -> ServerMatch {
        guard response.status.isSuccess, (try? JSON.decode(NotesServer.self, from: response.body))?.name == "Notes"
        else {
            return .notRecognized("it responded to \(probe.path) with \(InterceptedResponse.summary(response))")
        }
        return .server(ServerFeatures())
    }

    func passwordSignIn(email: EmailAddress, password: Secret, device: Device) -> DialectRequest {
        let body = JSON.encode(NotesCredentials(email: email.text, password: password.reveal()))
        return DialectRequest(.post, "/notes/sign-in", headers: ["Content-Type": JSON.mediaType], body: body)
    }

    func grant(from response: ClientResponse, of server: ServerAddress) throws(LatchError) -> Grant {
        if response.status.isSuccess, let message = try? JSON.decode(NotesToken.self, from: response.body) {
            return Grant(token: Secret(message.token))
        }
        if let reason = InterceptedResponse.reason(for: response, from: server, expectsJSON: true) {
            throw LatchError(
                .interceptedResponse, "Could not sign in: the response did not come from \(server); \(reason)")
        }
        let message = SanitizedText.clean(errorMessage(in: response) ?? InterceptedResponse.summary(response))
        let code: LatchError.Code =
            switch response.status {
            case .unauthorized: .wrongCredentials
            case .tooManyRequests: .rateLimited
            default: .serverRefused
            }
        throw LatchError(code, "Login failed: \(server) says: \(message)", retryAfter: retryDelay(after: response))
    }

    func identity(from response: ClientResponse) -> Identity? {
        guard response.status.isSuccess, let person = try? JSON.decode(NotesPerson.self, from: response.body) else {
            return nil
        }
        return Identity(id: person.id, email: person.email)
    }

    func signOut(keyID: String?) -> DialectRequest? { DialectRequest(.post, "/notes/sign-out") }

    func authorization(_ token: Secret) -> HTTPHeaders { ["Authorization": "Bearer " + token.reveal()] }

    func authenticationOutcome(
        of response: ClientResponse, to path: String, at server: ServerAddress
    ) -> AuthenticationOutcome {
        if let reason = InterceptedResponse.reason(for: response, from: server, expectsJSON: true) {
            return .intercepted(reason)
        }
        switch response.status.rawValue {
        case 408, 429, 500...: return .failing
        case 401 where errorMessage(in: response) == NotesError.sessionEnded:
            return .rejected(
                Rejection(
                    reason: NotesError.sessionEnded, sentence: "the session was ended on the server",
                    isConclusive: true))
        default: return .authenticated
        }
    }

    func errorMessage(in response: ClientResponse) -> String? {
        (try? JSON.decode(NotesError.self, from: response.body))?.error
    }
}
