import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE
import Primitives

/// Creates the ID token of a grant, either valid or with the requested fault.
///
/// Source: OpenID Connect Core §2 and §3.1.3.6.
struct IDToken {
    let grant: Grant
    let issuer: String
    let accessToken: String
    let now: Date
    let lifetime: Duration

    private var fault: Fault? { grant.choices.fault }

    func signed(with keys: ProviderKeys) throws(SandboxError) -> String {
        try keys.sign(claims.encoded(), type: "JWT", as: grant.choices)
    }

    private var claims: JSONValue {
        let issued = now.addingTimeInterval(
            fault == .expired ? -3600 - lifetime.seconds : fault == .fromTheFuture ? 3600 : 0)
        var members: [(String, JSONValue)] = [
            ("iss", .string(fault == .wrongIssuer ? Self.foreignIssuer : issuer)),
            ("aud", audience),
            ("iat", Self.number(issued)),
            ("exp", Self.number(issued.addingTimeInterval(lifetime.seconds))),
            ("auth_time", Self.number(grant.session.authenticated)),
            ("sid", .string(grant.session.id)),
        ]
        if fault != .noSubject { members.append(("sub", .string(grant.person.subject))) }
        if fault == .wrongAuthorizedParty { members.append(("azp", "somebody-else")) }
        if let nonce = grant.nonce, fault != .noNonce {
            members.append(("nonce", fault == .wrongNonce ? "another-nonce" : .string(nonce)))
        }
        if let hash = accessTokenHash { members.append(("at_hash", .string(hash))) }
        if grant.choices.hasClaimsInToken { members += PersonClaims.of(grant) }
        return .object(members.map { JSONValue.Member($0.0, $0.1) })
    }

    private var audience: JSONValue {
        switch fault {
        case .wrongAudience: "somebody-else"
        case .wrongAuthorizedParty: [.string(grant.clientID), "somebody-else"]
        default: .string(grant.clientID)
        }
    }

    /// The left half of the SHA-256 of the access token. Nil for EdDSA, which uses a different hash.
    ///
    /// Source: OpenID Connect Core §3.1.3.6.
    private var accessTokenHash: String? {
        guard grant.choices.algorithm != .edDSA else {
            return fault == .wrongTokenHash ? "AAAAAAAAAAAAAAAAAAAAAA" : nil
        }
        let hashed = fault == .wrongTokenHash ? accessToken + "x" : accessToken
        return Base64URL.encode(Array(SHA256.digest(hashed).bytes.prefix(16)))
    }

    /// The URL of a different issuer.
    static let foreignIssuer = "https://stranger.example"

    static func number(_ date: Date) -> JSONValue {
        .number(date.timeIntervalSince1970.rounded(.down))
    }
}
