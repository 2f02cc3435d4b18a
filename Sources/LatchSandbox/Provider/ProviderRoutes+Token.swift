import GatewayHTTP
import HTTPMessages
import HTTPServer
import LatchGateway
import OAuth
import Primitives

/// The token endpoint.
///
/// Source: OpenID Connect Core §3.1.3; RFC 6749 §4.1.3 and §5; RFC 7636 §4.6.
extension ProviderRoutes {
    /// Redeems an authorization code.
    func token(_ request: ServerRequest) async -> ServerResponse {
        do {
            let form = try readForm(request)
            let client = try client(request, form)
            guard form["grant_type"] == "authorization_code" else {
                throw TokenRefusal(
                    error: "unsupported_grant_type", description: "Only authorization_code is supported.")
            }
            guard let code = form["code"] else { throw TokenRefusal.invalidRequest("The code is missing.") }
            guard let grant = grants.redeemCode(code, client: client.id) else {
                throw TokenRefusal.invalidGrant("The code is unknown, used, expired or for another client.")
            }
            try Self.check(form, against: grant)
            return try await response(grant, code: code, audience: client.audience)
        } catch let refusal as TokenRefusal {
            return refusal.response
        } catch {
            return ServerResponse.text("\(error)\n", status: .internalServerError)
        }
    }

    private func readForm(_ request: ServerRequest) throws(TokenRefusal) -> FormFields {
        let form: FormFields
        do {
            form = try request.form()
        } catch {
            throw .invalidRequest(error.message)
        }
        for name in Set(form.map(\.name)) where form.values(name).count > 1 {
            throw .invalidRequest("The parameter \(name) occurs more than once.")
        }
        return form
    }

    private func client(_ request: ServerRequest, _ form: FormFields) throws(TokenRefusal) -> RegisteredClient {
        let credentials: ClientCredentials
        do {
            credentials = try ClientCredentials(request, form)
        } catch .severalMethods {
            throw .invalidRequest("The client authenticates in two ways.")
        } catch {
            throw TokenRefusal(error: "invalid_client", description: "The client did not identify itself.")
        }
        guard let client = grants.client(credentials.id), credentials.belong(to: client) else {
            throw TokenRefusal(error: "invalid_client", description: "The client is unknown or its secret is wrong.")
        }
        return client
    }

    private static func check(_ form: FormFields, against grant: Grant) throws(TokenRefusal) {
        guard form["redirect_uri"] == grant.redirect else {
            throw .invalidGrant("The redirect_uri differs from that of the authorization request.")
        }
        switch (grant.challenge, form["code_verifier"]) {
        case (nil, nil): break
        case (nil, _?): throw .invalidGrant("A code_verifier was sent without a code_challenge.")
        case (let challenge?, let text):
            guard let verifier = text.flatMap(PKCE.Verifier.init), challenge.matches(verifier) else {
                throw .invalidGrant("The code_verifier does not belong to the code_challenge.")
            }
        }
    }

    private func response(_ grant: Grant, code: String, audience: String?) async throws -> ServerResponse {
        switch grant.choices.fault {
        case .refusedGrant: throw TokenRefusal.invalidGrant("The provider simulates a refused code.")
        case .brokenTokens: return .text("The provider simulates an error.\n", status: .internalServerError)
        case .pageForTokens: return ErrorPage.page("The provider simulates an error page.").response()
        case .slow: try await Task.sleep(for: configuration.responseDelay)
        default: break
        }
        let signed = try audience.map { audience in
            try AccessToken(
                grant: grant, issuer: issuer, audience: audience, now: configuration.now(),
                lifetime: configuration.tokenLifetime
            ).signed(with: keys)
        }
        let accessToken = grants.issueAccessToken(signed, for: grant, code: code)
        var members: [JSONValue.Member] = [
            .init("access_token", .string(accessToken)), .init("token_type", "Bearer"),
            .init("expires_in", .number(configuration.tokenLifetime.seconds)),
            .init("scope", .string(grant.scopes.joined(separator: " "))),
        ]
        if grant.choices.fault != .noIDToken {
            let token = IDToken(
                grant: grant, issuer: issuer, accessToken: accessToken, now: configuration.now(),
                lifetime: configuration.tokenLifetime)
            members.append(.init("id_token", .string(try token.signed(with: keys))))
        }
        return Self.json(.object(members))
    }
}

/// An error of the token endpoint.
///
/// Source: RFC 6749 §5.2.
struct TokenRefusal: Error {
    let error: String
    let description: String

    static func invalidRequest(_ description: String) -> TokenRefusal {
        TokenRefusal(error: "invalid_request", description: description)
    }

    static func invalidGrant(_ description: String) -> TokenRefusal {
        TokenRefusal(error: "invalid_grant", description: description)
    }

    var response: ServerResponse {
        let isClient = error == "invalid_client"
        var response = ProviderRoutes.json(
            ["error": .string(error), "error_description": .string(description)],
            status: isClient ? .unauthorized : .badRequest)
        if isClient { response.headers.append("WWW-Authenticate", "Basic realm=\"token\"") }
        return response
    }
}
