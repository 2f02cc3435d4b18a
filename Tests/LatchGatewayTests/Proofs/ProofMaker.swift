import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE
import OAuth
import TestSupport

/// Makes proofs of possession, valid ones and others.
struct ProofMaker: Sendable {
    let key: SigningKey

    init(_ algorithm: SignatureAlgorithm = .es256) throws {
        key = try SigningKey.generate(algorithm)
    }

    var thumbprint: String { key.publicKey.thumbprint }

    /// The public key with its type and numbers only.
    var jwk: JSONValue {
        .object((key.publicJSON.members ?? []).filter { ["kty", "crv", "x", "y", "n", "e"].contains($0.name) })
    }

    /// The value of the field. `header` and `claims` replace members; a nil value removes one.
    func proof(
        _ method: String, _ address: String, at now: Date, token: String? = nil, nonce: String? = nil,
        id: String = UUID().uuidString, header: [(String, JSONValue?)] = [], claims: [(String, JSONValue?)] = [],
        signedBy signer: SigningKey? = nil
    ) throws -> String {
        let signer = signer ?? key
        let head = Self.object(
            [("alg", .string(key.algorithm.rawValue)), ("typ", "dpop+jwt"), ("jwk", jwk)], replacing: header)
        let body = Self.object(
            [
                ("jti", .string(id)), ("htm", .string(method)), ("htu", .string(address)),
                ("iat", .number(now.timeIntervalSince1970.rounded(.down))),
                ("ath", token.map { .string(Base64URL.encode(SHA256.digest($0).bytes)) }),
                ("nonce", nonce.map { .string($0) }),
            ], replacing: claims)
        let input = Base64URL.encode(head.encoded()) + "." + Base64URL.encode(body.encoded())
        return input + "." + Base64URL.encode(try signer.signature(of: Array(input.utf8)))
    }

    private static func object(
        _ members: [(String, JSONValue?)], replacing changes: [(String, JSONValue?)]
    ) -> JSONValue {
        let names = Set(changes.map(\.0))
        return .object(
            (members.filter { !names.contains($0.0) } + changes).compactMap { name, value in
                value.map { JSONValue.Member(name, $0) }
            })
    }
}

extension OAuthFixture {
    static let tokenAddress = issuer + "/oauth2/token"
    static let userInfoAddress = issuer + "/oauth2/userinfo"

    /// The field with a proof for the token endpoint.
    func tokenProof(_ maker: ProofMaker, nonce: String? = nil) throws -> [(String, String)] {
        [("DPoP", try maker.proof("POST", Self.tokenAddress, at: gateway.clock.now, nonce: nonce))]
    }

    /// Signs in with a proof.
    func boundResponse(
        _ maker: ProofMaker, client: String = "app", _ parameters: [(String, String)]? = nil, nonce: String? = nil
    ) async throws -> Exchange.Response {
        let isWeb = client == "web"
        let code = try await respond(to: parameters ?? (isWeb ? webParameters : self.parameters))["code"].orThrow
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("client_id", client),
            ("code_verifier", verifier.secret.reveal()),
        ]
        if isWeb { form.append(("client_secret", Self.secret)) }
        return try await post("token", form, headers: try tokenProof(maker, nonce: nonce))
    }

    func boundTokens(
        _ maker: ProofMaker, client: String = "app", _ parameters: [(String, String)]? = nil
    ) async throws -> OAuthTokens {
        try OAuthTokens(try await boundResponse(maker, client: client, parameters))
    }

    func refresh(
        _ token: String, client: String = "app", proof: [(String, String)]
    ) async throws -> Exchange.Response {
        var form = [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", client)]
        if client == "web" { form.append(("client_secret", Self.secret)) }
        return try await post("token", form, headers: proof)
    }

    /// The fields of a request for the userinfo with a bound token.
    func userInfoFields(_ maker: ProofMaker, _ token: String, nonce: String? = nil) throws -> [(String, String)] {
        [
            ("Authorization", "DPoP " + token),
            (
                "DPoP",
                try maker.proof("GET", Self.userInfoAddress, at: gateway.clock.now, token: token, nonce: nonce)
            ),
        ]
    }

    func userInfo(fields: [(String, String)]) async throws -> Exchange.Response {
        try await gateway.http.send("GET", "/oauth2/userinfo", headers: fields)
    }

    /// Asks `/auth/verify` about `GET https://app.example.org/files/1`.
    func verify(fields: [(String, String)], path: String = "/files/1?size=1") async throws -> Exchange.Response {
        try await gateway.http.send(
            "GET", "/auth/verify",
            headers: [
                ("X-Forwarded-Host", "app.example.org"), ("X-Forwarded-Proto", "https"),
                ("X-Forwarded-Method", "GET"), ("X-Forwarded-Uri", path),
            ] + fields)
    }
}
