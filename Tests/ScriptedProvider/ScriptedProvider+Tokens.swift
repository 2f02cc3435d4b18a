import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import JOSE
import OAuth

extension ScriptedProvider.State {
    mutating func tokens(_ request: ServerRequest) throws -> ServerResponse {
        let form = try FormURLEncoded.decode(request.body)
        guard script.isClient?(request, form) ?? isBasicClient(request, form) else {
            return .json(["error": "invalid_client"] as JSONValue, status: .unauthorized)
        }
        guard request.method == .post, form["grant_type"] == "authorization_code", let code = form["code"],
            let grant = codes.removeValue(forKey: code), form["redirect_uri"] == grant.redirect,
            let verifier = form["code_verifier"].flatMap({ PKCE.Verifier($0) }),
            PKCE.Challenge(grant.challenge)?.matches(verifier) == true
        else { return .json(["error": "invalid_grant"] as JSONValue, status: .badRequest) }
        if script.rotation == .justBeforeSigning, made > 1 { try keys.rotate() }
        made += 1
        let accessToken = "access-0123456789-\(made)"
        accessTokens.insert(accessToken)
        var members = JSONMembers([
            ("access_token", .string(accessToken)), ("token_type", "Bearer"), ("expires_in", 300),
            ("id_token", .string(try idToken(grant, accessToken: accessToken, code: code))),
        ])
        script.tokens(&members)
        return .json(JSONValue.object(members.members))
    }

    mutating func userInfo(_ request: ServerRequest) throws -> ServerResponse {
        let token = request.headers["Authorization"].map { $0.dropFirst("Bearer ".count) } ?? ""
        guard request.headers["Authorization"]?.hasPrefix("Bearer ") == true, accessTokens.contains(String(token))
        else {
            return ServerResponse(status: .unauthorized, headers: ["WWW-Authenticate": "Bearer"])
        }
        var members = JSONMembers([
            ("sub", .string(ScriptedProvider.subject)), ("email", .string(ScriptedProvider.email)),
            ("email_verified", true), ("name", "Ada Lovelace"),
        ])
        guard let signing = script.userInfoSigning else {
            script.userInfo(&members)
            return .json(JSONValue.object(members.members))
        }
        members["iss"] = .string(issuer)
        members["aud"] = .string(ScriptedProvider.clientID)
        script.userInfo(&members)
        let text = try keys.sign(members, signing, ProviderScript(), secret: ScriptedProvider.clientSecret)
        return ServerResponse(headers: ["Content-Type": "application/jwt"], body: Array(text.utf8))
    }

    private func idToken(_ grant: ScriptedProvider.Grant, accessToken: String, code: String) throws -> String {
        var claims = JSONMembers([
            ("iss", .string(issuer)), ("sub", .string(ScriptedProvider.subject)), ("aud", .string(grant.clientID)),
            ("exp", .number(seconds + 300)), ("iat", .number(seconds)), ("sid", "session-1"),
        ])
        claims["nonce"] = grant.nonce.map { .string($0) }
        if script.hashesTokens {
            claims["at_hash"] = .string(SignatureAlgorithm.rs256.halfHash(of: Secret(accessToken)))
            claims["c_hash"] = .string(SignatureAlgorithm.rs256.halfHash(of: Secret(code)))
        }
        script.claims(&claims)
        return try keys.sign(claims, script.signing, script, secret: ScriptedProvider.clientSecret)
    }

    /// Returns whether the client authenticates with `client_secret_basic`, with both values form-encoded.
    ///
    /// Source: RFC 6749 §2.3.1.
    private func isBasicClient(_ request: ServerRequest, _ form: FormFields) -> Bool {
        guard let field = request.headers["Authorization"], field.hasPrefix("Basic "),
            let pair = Data(base64Encoded: String(field.dropFirst("Basic ".count)))
        else { return false }
        let halves = pair.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { half in
            (try? FormURLEncoded.decode([UInt8(ascii: "=")] + Array(half)))?.pairs.first?.value
        }
        return halves == [ScriptedProvider.clientID, ScriptedProvider.clientSecret] && form["client_secret"] == nil
    }
}
