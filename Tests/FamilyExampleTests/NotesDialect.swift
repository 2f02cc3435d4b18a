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

    func match(_ answer: ClientResponse) -> ServerMatch {
        guard answer.status.isSuccess, (try? JSON.decode(NotesServer.self, from: answer.body))?.name == "Notes" else {
            return .notRecognized("it responded to \(probe.path) with \(InterceptedResponse.summary(answer))")
        }
        return .server(ServerFeatures())
    }

    func passwordSignIn(email: EmailAddress, password: Secret, device: Device) -> DialectRequest {
        let body = JSON.encode(NotesCredentials(email: email.text, password: password.reveal()))
        return DialectRequest(.post, "/notes/sign-in", headers: ["Content-Type": JSON.mediaType], body: body)
    }

    func grant(from answer: ClientResponse, of server: ServerAddress) throws(LatchError) -> Grant {
        if answer.status.isSuccess, let message = try? JSON.decode(NotesToken.self, from: answer.body) {
            return Grant(token: Secret(message.token))
        }
        if let reason = InterceptedResponse.reason(for: answer, from: server, expectsJSON: true) {
            throw LatchError(.foreignAnswer, "Could not sign in: the response did not come from \(server); \(reason)")
        }
        let message = SanitizedText.clean(errorMessage(in: answer) ?? InterceptedResponse.summary(answer))
        let code: LatchError.Code =
            switch answer.status {
            case .unauthorized: .wrongCredentials
            case .tooManyRequests: .rateLimited
            default: .serverRefused
            }
        throw LatchError(code, "Login failed: \(server) says: \(message)", retryAfter: retryDelay(after: answer))
    }

    func identity(from answer: ClientResponse) -> Identity? {
        guard answer.status.isSuccess, let person = try? JSON.decode(NotesPerson.self, from: answer.body) else {
            return nil
        }
        return Identity(id: person.id, email: person.email)
    }

    func signOut(keyID: String?) -> DialectRequest? { DialectRequest(.post, "/notes/sign-out") }

    func authorization(_ token: Secret) -> HTTPHeaders { ["Authorization": "Bearer " + token.reveal()] }

    func authenticationOutcome(
        of answer: ClientResponse, to path: String, at server: ServerAddress
    ) -> AuthenticationOutcome {
        if let reason = InterceptedResponse.reason(for: answer, from: server, expectsJSON: true) {
            return .intercepted(reason)
        }
        switch answer.status.rawValue {
        case 408, 429, 500...: return .failing
        case 401 where errorMessage(in: answer) == NotesError.sessionEnded:
            return .rejected(
                Rejection(
                    reason: NotesError.sessionEnded, sentence: "the session was ended on the server",
                    isUnmistakable: true))
        default: return .answered
        }
    }

    func errorMessage(in answer: ClientResponse) -> String? {
        (try? JSON.decode(NotesError.self, from: answer.body))?.error
    }
}
