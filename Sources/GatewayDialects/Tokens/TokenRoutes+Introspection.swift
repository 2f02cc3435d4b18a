import Crypto
import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer

extension TokenRoutes {
    /// `POST /auth/introspect`: tells a configured client whether a token is valid. This counts as a use of the
    /// session, because the token was just presented to the client.
    ///
    /// Source: RFC 7662 §2.
    func introspect(_ request: ServerRequest) async -> ServerResponse {
        switch tokenToCheck(request) {
        case .failure(let refusal): return refusal.response
        case .success(let token):
            do {
                return response(try await issuer.authenticateSigned(token), token)
            } catch {
                return failure(error, request)
            }
        }
    }

    /// The same as ``introspect(_:)`` when the session is in memory. Returns nil when it is not.
    func cachedIntrospection(_ request: ServerRequest) -> ServerResponse? {
        switch tokenToCheck(request) {
        case .failure(let refusal): refusal.response
        case .success(let token):
            if case .found(let found) = issuer.findSigned(token) { response(found, token) } else { nil }
        }
    }

    /// Returns the token after the client is authenticated. Other callers get no information about a token.
    private func tokenToCheck(_ request: ServerRequest) -> Result<String, Refusal> {
        Self.form(request).flatMap { form in
            if isBasic(request, form) { return Self.tokenToCheck(form) }
            switch ClientCredentials(request, form) {
            case .ambiguous: return .failure(Refusal(response: TokenResponses.ambiguousCredentials))
            case .secret(let id, let secret) where clients[ExactText(id)].map({ secret.matches($0.secret) }) ?? false:
                return Self.tokenToCheck(form)
            case .none, .unreadable, .secret, .assertion:
                return .failure(Refusal(response: TokenResponses.invalidClient))
            }
        }
    }

    /// Whether the request has the `Authorization` field of a configured client, and no other credentials.
    private func isBasic(_ request: ServerRequest, _ form: FormFields) -> Bool {
        guard !form.pairs.contains(where: { $0.name == "client_id" || $0.name == "client_secret" }) else {
            return false
        }
        let fields = request.headers.values("Authorization")
        return fields.count == 1 && basicFields.contains(SHA256.digest(fields[0]))
    }

    private static func tokenToCheck(_ form: FormFields) -> Result<String, Refusal> {
        token(form).map { .success($0) } ?? .failure(Refusal(response: TokenResponses.tokenRequired))
    }

    private func response(_ authentication: Authentication, _ token: String) -> ServerResponse {
        let session: Session
        var body: [UInt8] = []
        body.reserveCapacity(256)
        switch authentication {
        case .valid(let found):
            session = found
            JSONText.append(json: #"{"active":true,"token_type":"Bearer","sub":""#, to: &body)
        // The client, to which the token was presented, checks the proof of possession.
        case .proofRequired(let found) where !found.person.mustChangePassword:
            session = found
            JSONText.append(json: #"{"active":true,"token_type":"DPoP","cnf":{"jkt":"#, to: &body)
            JSONText.append(found.keyThumbprint ?? "", to: &body)
            JSONText.append(json: #"},"sub":""#, to: &body)
        default: return TokenResponses.inactive
        }
        JSONText.append(id: session.person.id, to: &body)
        JSONText.append(json: #"","username":"#, to: &body)
        JSONText.append(session.person.username, to: &body)
        if let email = session.person.provedAddress {
            JSONText.append(json: #","email":"#, to: &body)
            JSONText.append(email.text, to: &body)
            JSONText.append(json: #","email_verified":true,"iat":"#, to: &body)
        } else {
            JSONText.append(json: #","email_verified":false,"iat":"#, to: &body)
        }
        JSONText.append(ascii: "\(Int64(session.created.timeIntervalSince1970))", to: &body)
        JSONText.append(json: #","exp":"#, to: &body)
        JSONText.append(ascii: "\(Int64(session.expires.timeIntervalSince1970))", to: &body)
        // A token with dots is signed and contains its own issuer.
        let isSigned = token.utf8.contains(UInt8(ascii: "."))
        if let address = isSigned ? signedIssuerAddress ?? issuerAddress : issuerAddress {
            JSONText.append(json: #","iss":"#, to: &body)
            JSONText.append(address, to: &body)
        }
        JSONText.append(json: "}", to: &body)
        return ServerResponse(status: .ok, headers: .privateJSON, body: body)
    }
}
