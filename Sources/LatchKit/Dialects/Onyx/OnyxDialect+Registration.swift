import Crypto
import HTTPClient
import HTTPMessages
import ServerMessages

extension OnyxDialect: RegistrationDialect {
    /// Returns `POST /api/auth/register` with `email` and `password`.
    package func registration(email: EmailAddress, password: Secret) -> DialectRequest {
        let body = JSON.encode(OnyxRegistration(email: email.text, password: password.reveal()))
        return DialectRequest(
            .post, "/api/auth/register", headers: ["Accept": JSON.mediaType, "Content-Type": JSON.mediaType], body: body
        )
    }

    /// Reads the response to a registration. Any successful status with the new account means that it was created.
    ///
    /// - Throws: ``LatchError/Code/weakPassword``, ``LatchError/Code/registrationRefused``,
    ///   ``LatchError/Code/rateLimited``, ``LatchError/Code/serverError``, ``LatchError/Code/interceptedResponse``.
    ///
    /// Source: docs/protocols/onyx.md, Registration.
    package func registered(by response: ClientResponse, at server: ServerAddress) throws(LatchError) {
        // Only these members are checked, because the others differ between releases.
        if response.status.isSuccess, let person = try? JSONValue(parsing: response.body), person["id"]?.string != nil,
            person["email"]?.string != nil
        {
            return
        }
        if let reason = InterceptedResponse.reason(for: response, from: server, expectsJSON: true) {
            throw LatchError(
                .interceptedResponse, "Could not register: the response did not come from \(server); \(reason)")
        }
        let error = OnyxError(body: response.body)
        var message = SanitizedText.clean(error.flatMap(Self.message(for:)) ?? InterceptedResponse.summary(response))
        while message.hasSuffix(".") { message.removeLast() }
        let wait = response.headers["Retry-After"].flatMap { Int($0) }.map { Duration.seconds(max($0, 0)) }
        switch (response.status.rawValue, OnyxReason(rawValue: error?.code ?? "")) {
        case (_, .invalidPassword):
            throw LatchError(.weakPassword, "Not registered: \(message). Choose another password.")
        case (_, .userAlreadyExists):
            throw LatchError(
                .registrationRefused, "Not registered: this address already has an account at \(server). Sign in to it."
            )
        case (429, _), (_, .rateLimited):
            let pause = wait.map { "Wait \($0.components.seconds) seconds" } ?? "Wait an hour"
            throw LatchError(
                .rateLimited,
                "Not registered: too many accounts were created at \(server) from this network. \(pause), then try "
                    + "again.",
                retryAfter: wait)
        case (500..., _):
            throw LatchError(
                .serverError, "Not registered: \(server) has an internal error (\(message)). Try again later.",
                retryAfter: wait)
        default:
            throw LatchError(.registrationRefused, "Not registered: \(server) says: \(message).")
        }
    }
}
