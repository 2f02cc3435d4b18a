import HTTPClient
import ServerMessages

extension ImmichDialect {
    /// Decides what a response says about the session.
    ///
    /// Only a 401 rejects a token, depending on its message:
    ///
    /// - `Invalid user token` is sent only by Immich, so it is final.
    /// - `Authentication required` is also sent by a server that never received the token, so the server is asked
    ///   again.
    /// - Every other message concerns something else, such as `Elevated permission is required` for the locked folder.
    ///   If it responds to ``identity``, the server is asked again.
    ///
    /// A 400 or 403 never concerns the session, and neither does the 404 of a server in maintenance.
    ///
    /// Source: IM-10; docs/protocols/immich.md, Errors and Maintenance mode.
    package func authenticationOutcome(of response: ClientResponse, to path: String, at server: ServerAddress)
        -> AuthenticationOutcome
    {
        if isOwnRedirect(response, path) { return .authenticated }
        let isAPI = path.hasPrefix(api + "/")
        if let reason = InterceptedResponse.reason(for: response, from: server, expectsJSON: isAPI) {
            return .intercepted(reason)
        }
        switch response.status.rawValue {
        case 408, 429, 500...: return .failing
        case 401 where ProofSigner.error(in: response) != nil: return .authenticated
        case 401, 403: return outcome(onRefusal: response, path)
        default: return .authenticated
        }
    }

    private func outcome(onRefusal response: ClientResponse, _ path: String) -> AuthenticationOutcome {
        guard InterceptedResponse.isJSON(response), let error = ImmichError(body: response.body) else {
            return .intercepted(
                "the refusal does not have the format of an Immich server (\(InterceptedResponse.summary(response))). "
                    + "A system between this machine and the server refused the request.")
        }
        guard response.status == .unauthorized else { return .authenticated }
        switch error.message {
        case "Invalid user token":
            return .rejected(
                Rejection(
                    reason: "invalid_user_token", sentence: "the server no longer knows the session",
                    isConclusive: true))
        case "Authentication required", "Unauthorized": return .rejected(Self.vague)
        default: return path == identity.path ? .rejected(Self.vague) : .authenticated
        }
    }

    /// Returns whether a response is the server's own redirect to another size of a picture, because the requested size
    /// does not exist.
    ///
    /// Source: docs/protocols/immich.md, Files.
    private func isOwnRedirect(_ response: ClientResponse, _ path: String) -> Bool {
        guard response.status.isRedirect, path.hasPrefix(api + "/assets/"), let target = response.headers["Location"]
        else {
            return false
        }
        return target.hasPrefix(api + "/assets/") || target.hasPrefix("original") || target.hasPrefix("thumbnail?")
    }

    private static let vague = Rejection(
        reason: "unauthorized", sentence: "the server no longer accepts the session", isConclusive: false)
}
