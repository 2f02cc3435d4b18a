import HTTPClient
import HTTPMessages
import ServerMessages

extension OnyxDialect {
    /// Decides what a response says about the session.
    ///
    /// An Onyx server rejects a token in three ways:
    ///
    /// - 401 or 403 with one of its three `SESSION_…` codes, which no other software sends.
    /// - 401 or 403 with `{"detail": "Unauthorized"}`, which any program that uses the same framework may send.
    /// - 200 with an anonymous visitor for `/me`, if the server admits anonymous visitors.
    ///
    /// A 403 with `{"detail": "Forbidden"}` means that the person lacks a permission or has not verified the e-mail
    /// address. It does not end the session.
    ///
    /// Source: docs/protocols/onyx.md, Rejected sessions and Sessions in the app.
    package func authenticationOutcome(of response: ClientResponse, to path: String, at server: ServerAddress)
        -> AuthenticationOutcome
    {
        let isAPI = path.hasPrefix("/api/")
        if let reason = InterceptedResponse.reason(for: response, from: server, expectsJSON: isAPI) {
            return .intercepted(reason)
        }
        switch response.status.rawValue {
        case 408, 429, 500...: return .failing
        case 401, 403: return outcome(onRefusal: response)
        default: return isAnonymous(response, path) ? .rejected(Self.rejection(.sessionUnrecognized)) : .authenticated
        }
    }

    private func outcome(onRefusal response: ClientResponse) -> AuthenticationOutcome {
        guard InterceptedResponse.isJSON(response), let error = OnyxError(body: response.body) else {
            return .intercepted(
                "the refusal does not have the format of an Onyx server (\(InterceptedResponse.summary(response))). "
                    + "A system between this machine and the server refused the request.")
        }
        if error.envelope == .business, let code = error.code {
            let reason = OnyxReason(rawValue: code)
            if Self.endings.contains(reason) { return .rejected(Self.rejection(reason)) }
            if code.hasPrefix("SESSION_") { return .rejected(Self.vagueRejection(code)) }
            guard response.status == .unauthorized, reason == .unauthenticated else { return .authenticated }
            return .rejected(Self.vagueRejection("unauthenticated"))
        }
        switch error.detail {
        case "Unauthorized": return .rejected(Self.vagueRejection("unauthorized"))
        case "Access denied. User's OIDC token has expired.": return .rejected(Self.vagueRejection("oidc_expired"))
        default: return .authenticated
        }
    }

    private func isAnonymous(_ response: ClientResponse, _ path: String) -> Bool {
        guard path == identity.path, response.status == .ok,
            let user = try? JSON.decode(OnyxUser.self, from: response.body)
        else { return false }
        return user.isAnonymousUser == true
    }

    private static let endings: Set<OnyxReason> = [.sessionExpired, .sessionTerminated, .sessionUnrecognized]

    private static func rejection(_ reason: OnyxReason) -> Rejection {
        let sentence =
            switch reason {
            case .sessionExpired: "the session expired"
            case .sessionTerminated: "the session was ended on the server"
            case .sessionUnrecognized: "the server no longer knows the session"
            default: "the server ended the session (\(SanitizedText.clean(reason.rawValue)))"
            }
        return Rejection(reason: reason.rawValue, sentence: sentence, isConclusive: true)
    }

    private static func vagueRejection(_ reason: String) -> Rejection {
        Rejection(
            reason: reason,
            sentence: reason == "oidc_expired"
                ? "the identity provider's sign-in has expired" : "the server no longer accepts the session",
            isConclusive: false)
    }
}
