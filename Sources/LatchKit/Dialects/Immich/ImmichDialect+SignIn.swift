import Crypto
import HTTPClient
import HTTPMessages
import ServerMessages

extension ImmichDialect {
    /// Returns `POST /auth/login` with the e-mail address and the password, and the device in two header fields.
    ///
    /// Source: IM-5; docs/protocols/immich.md, Devices.
    package func passwordSignIn(email: EmailAddress, password: Secret, device: Device) -> DialectRequest {
        var request = request(
            .post, "/auth/login", body: ImmichLogin(email: email.text, password: password.reveal()))
        request.headers["deviceModel"] = device.model
        request.headers["deviceType"] = device.type
        return request
    }

    /// Reads the response to a password sign-in, of either generation of servers.
    ///
    /// - Throws: ``LatchError`` with ``LatchError/Code/wrongCredentials``, ``LatchError/Code/passwordLoginDisabled``,
    ///   ``LatchError/Code/rateLimited`` with the delay, ``LatchError/Code/serverError``,
    ///   ``LatchError/Code/serverRefused`` with the server's error message, or ``LatchError/Code/interceptedResponse``.
    ///
    /// Source: IM-5, IM-16; docs/protocols/immich.md, Sign-in with a password.
    package func grant(from response: ClientResponse, of server: ServerAddress) throws(LatchError) -> Grant {
        if let grant = Self.grant(in: response) { return grant }
        if InterceptedResponse.reason(for: response, from: server, expectsJSON: true) == nil {
            switch ImmichError(body: response.body)?.message {
            case "Incorrect email or password":
                throw LatchError(
                    .wrongCredentials,
                    "Login failed: \(server) does not accept this e-mail and password. "
                        + "Check both; if they are correct, the account may be disabled.")
            case "Password login has been disabled":
                throw LatchError(
                    .passwordLoginDisabled,
                    "Login failed: \(server) does not support sign-in with a password. Use another sign-in method.")
            default: break
            }
        }
        throw refusal(response, server)
    }

    /// Returns the token and the person's identity. Nil when the response does not contain them.
    static func grant(in response: ClientResponse) -> Grant? {
        guard response.status.isSuccess, let login = try? JSON.decode(ImmichLoginResponse.self, from: response.body),
            isToken(login.accessToken), !login.userId.isEmpty
        else { return nil }
        var grant = Grant(token: Secret(login.accessToken))
        grant.identity = Identity(
            id: login.userId, email: login.userEmail, name: login.name.isEmpty ? nil : login.name)
        grant.mustChangePassword = login.shouldChangePassword
        return grant
    }

    /// Returns the error for a response to a sign-in without a token, when no more specific error applies.
    func refusal(_ response: ClientResponse, _ server: ServerAddress) -> LatchError {
        if let reason = InterceptedResponse.reason(for: response, from: server, expectsJSON: true) {
            return LatchError(
                .interceptedResponse, "Could not sign in: the response did not come from \(server); \(reason)")
        }
        let wait = response.headers["Retry-After"].flatMap { Int($0) }.map { Duration.seconds(max($0, 0)) }
        switch response.status.rawValue {
        case 429:
            let pause = wait.map { "Wait \($0.components.seconds) seconds" } ?? "Wait a minute"
            return LatchError(
                .rateLimited, "Login failed: too many attempts at \(server). \(pause), then try again.",
                retryAfter: wait)
        case 500...:
            return LatchError(
                .serverError,
                "Login failed: \(server) \(response.status.failureDescription). Try again later.",
                retryAfter: wait)
        case 404, 405:
            return LatchError(
                .serverError,
                "Login failed: \(server) offers no sign-in; it may be in maintenance. Try again later.")
        case 200..<300: return InterceptedResponse.noToken(in: response, from: server)
        default:
            let message = SanitizedText.clean(errorMessage(in: response) ?? InterceptedResponse.summary(response))
            return LatchError(.serverRefused, "Login failed: \(server) says: \(message)")
        }
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && !text.contains(" ") && HTTPHeaders.isSafe(name: tokenHeader, value: text)
    }
}
