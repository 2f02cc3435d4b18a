import Crypto
import FoundationEssentials
import HTTPMessages
import Primitives

/// Creates the JWT access token of a grant, either valid or with the fault that was requested.
///
/// Source: RFC 9068 §2.2.
struct AccessToken {
    let grant: Grant
    let issuer: String
    let audience: String
    let now: Date
    let lifetime: Duration

    func signed(with keys: ProviderKeys) throws(SandboxError) -> String {
        try keys.sign(claims.encoded(), type: "at+jwt", as: grant.choices)
    }

    private var claims: JSONValue {
        let fault = grant.choices.fault
        let issued = now.addingTimeInterval(
            fault == .expired ? -3600 - lifetime.seconds : fault == .fromTheFuture ? 3600 : 0)
        var members: [(String, JSONValue)] = [
            ("iss", .string(fault == .wrongIssuer ? IDToken.foreignIssuer : issuer)),
            ("aud", fault == .wrongAudience ? "somebody-else" : .string(audience)),
            ("client_id", .string(grant.clientID)), ("scope", .string(grant.scopes.joined(separator: " "))),
            ("jti", .string(Base64URL.encode(SecureRandom.bytes(12)))),
            ("iat", IDToken.number(issued)), ("exp", IDToken.number(issued.addingTimeInterval(lifetime.seconds))),
        ]
        if fault != .noSubject { members.append(("sub", .string(grant.person.subject))) }
        if grant.choices.hasClaimsInToken { members += PersonClaims.of(grant) }
        return .object(members.map { JSONValue.Member($0.0, $0.1) })
    }
}
