import Crypto
import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
package import HTTPServer
import ServerMessages

extension OnyxRoutes {
    /// `POST /auth/register`: adds a person. The response has no token; the client signs in afterwards.
    ///
    /// Source: docs/protocols/onyx.md, Registration.
    package func register(_ request: ServerRequest) async throws -> ServerResponse {
        guard settings.allowsRegistration, allowsPasswords else {
            return DefaultResponses.business(
                .forbidden, code: .registrationDisabled,
                detail: "Registration is closed; ask an administrator for an account.")
        }
        guard let body = try? request.json(OnyxRegistration.self) else {
            return DefaultResponses.invalid("body: An object with 'email' and 'password' is required.")
        }
        do {
            switch try await registration.register(body.email, Secret(body.password), from: onyxOrigin(of: request)) {
            case .registered(let person):
                let id = person.id.uuidString.lowercased()
                return ServerResponse.privateJSON(OnyxRegistered(id: id, email: person.email), status: .created)
            case .limited(let wait):
                return DefaultResponses.business(
                    .tooManyRequests, code: .rateLimited, detail: "Too many registrations; try again later."
                )
                .retry(after: wait)
            }
        } catch let error as GatewayError {
            return try refusal(of: error)
        }
    }

    private func refusal(of error: GatewayError) throws -> ServerResponse {
        switch error.code {
        case .invalidEmail: DefaultResponses.invalid("body.email: Not an e-mail address.")
        case .personExists: DefaultResponses.code(.badRequest, .userAlreadyExists)
        case .weakPassword:
            DefaultResponses.refusal(
                .badRequest,
                OnyxError(.codedDetail, code: OnyxReason.invalidPassword.rawValue, detail: error.message))
        default: throw error
        }
    }
}
