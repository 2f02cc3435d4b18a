import Crypto
import Foundation
import HTTPMessages
import JOSE
import Primitives

@testable import AuthorizationServer
@testable import GatewayCore
@testable import GatewayHTTP
@testable import OAuth
@testable import SignInBridge

extension FuzzedParser {
    private static let issuer = "https://id.example.org"
    private static let keys = BridgeKeys(Secret(bytes: [UInt8](repeating: 1, count: 32)))
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let app = RegisteredClient(
        id: "app", name: "App", secretHash: nil,
        redirects: ["com.example.app:/callback", "http://127.0.0.1/callback", "https://app.example.org/callback?a=b"])

    static let authorizationServer = [
        // The parameters of an authorization request, form-encoded.
        FuzzedParser("authorization-request") { input in
            guard let fields = try? FormURLEncoded.decode(input) else { return }
            let found = try? await AuthorizationParameters.destination(fields, isOwn: { _ in false }) {
                $0 == app.id ? app : nil
            }
            guard let destination = found else { return }
            try require(fields.values("client_id") == [app.id], "Another client was found.")
            try require(fields.values("redirect_uri") == [destination.redirect], "Another address was taken.")
            try require(isAllowed(destination.redirect), "An address that is not registered was accepted.")
            try requireHarmless(destination)
            guard let parameters = try? parameters(fields, to: destination) else { return }
            try require(fields["response_type"] == "code", "Another response type was accepted.")
            try require(fields["code_challenge_method"] == "S256", "A request without PKCE was accepted.")
            try require(!fields.repeatsName(except: "resource"), "A parameter that occurs twice was accepted.")
            try require(!parameters.prompts.contains(.none) || parameters.prompts.count == 1, "Prompts contradict.")
            try require(parameters.maximumAge ?? .zero >= .zero, "A negative age was accepted.")
            try require(parameters.grant.audience.count <= 8, "Too many resources were accepted.")
            try require(parameters.grant.audience.allSatisfy(isResource), "An unknown resource was accepted.")
            try require(
                Set(parameters.grant.scopes).isSubset(of: OAuthScope.allCases.map(\.rawValue) + ["files:read"]),
                "An unknown scope was granted.")
            try requireStored(fields, parameters)
        },
        // The metadata with which a client registers itself.
        FuzzedParser("client-metadata") { input in
            guard let value = try? JSONValue(parsing: input, repairsText: false),
                let metadata = try? ClientMetadata(value)
            else { return }
            try require((1...16).contains(metadata.redirects.count), "The number of addresses is wrong.")
            try require(metadata.signOutRedirects.count <= 16, "There are too many addresses for sign-outs.")
            for redirect in metadata.redirects + metadata.signOutRedirects {
                try require(AllowedRedirects.problem(with: redirect) == nil, "An address that is not valid was stored.")
                try requireHarmless(.init(client: app, redirect: redirect, state: "s", mode: .query))
            }
            try require(metadata.name.displayName(limit: 80) == metadata.name, "A name is not fit to be shown.")
            try require((metadata.keys != nil) == (metadata.method == .signedStatement), "Keys and method contradict.")
            if let keys = metadata.keys {
                let stored = ClientKeys(keys.text)
                try require(stored == keys, "Keys changed when they were stored.")
                let members = try JSONValue(parsing: Array(keys.text.utf8))["keys"]?.array ?? []
                try require(
                    members.allSatisfy { key in ["d", "p", "q", "dp", "dq", "qi", "k"].allSatisfy { key[$0] == nil } },
                    "A private key was stored.")
            }
        },
        // A whole assertion, and the claims of one that the client has signed.
        FuzzedParser("client-assertion") { input in
            if let assertion = ClientAssertion(input.text, now: now) {
                try require(try !assertion.isSigned(by: FuzzedClient.keys.get()), "An unsigned assertion was accepted.")
            }
            guard input.count < 2_048 else { return }
            let text = try FuzzedClient.key.get().sign(payload: input, type: "client-authentication+jwt")
            guard let assertion = ClientAssertion(text, now: now) else { return }
            try require(try assertion.isSigned(by: FuzzedClient.keys.get()), "A signed assertion was refused.")
            let claims = try JSONValue(parsing: input)
            let names = [claims["iss"], claims["sub"]].map { $0?.string.map { Array($0.utf8) } }
            try require(names.allSatisfy { $0 == Array(assertion.client.utf8) }, "Another client was authenticated.")
            let audiences = claims["aud"]?.array?.compactMap(\.string) ?? [claims["aud"]?.string].compactMap { $0 }
            try require(audiences == assertion.audiences && !audiences.isEmpty, "It is for another server.")
            let seconds = (claims["exp"]?.number ?? 0) - now.timeIntervalSince1970
            try require(seconds > -60 && seconds <= 3_660, "An assertion has expired or lasts too long.")
            try require(assertion.expires > now, "The id of an assertion would be forgotten at once.")
            for name in ["iat", "nbf"] {
                try require((claims[name]?.number ?? 0) <= now.timeIntervalSince1970 + 60, "It is from the future.")
            }
        },
        // A whole ID token, and the claims of one that the gateway has signed.
        FuzzedParser("id-token-hint") { input in
            let (key, set) = (try FuzzedClient.key.get(), try FuzzedClient.keys.get().set)
            try require(IDTokenHint(input.text, issuer: issuer, keys: set) == nil, "An unsigned token was accepted.")
            guard input.count < 8_192 else { return }
            let text = try key.sign(payload: input)
            guard let hint = IDTokenHint(text, issuer: issuer, keys: set) else { return }
            let claims = try JSONValue(parsing: input)
            try require(claims["iss"] == .string(issuer), "The token of another issuer was accepted.")
            try require(claims["aud"] == .string(hint.client), "The token is for another client.")
            try require(
                claims["sub"]?.string?.lowercased() == hint.person.uuidString.lowercased(),
                "It belongs to another person.")
            for type in ["logout+jwt", "at+jwt"] {
                let other = try key.sign(payload: input, type: type)
                try require(
                    IDTokenHint(other, issuer: issuer, keys: set) == nil, "A token of another type was accepted.")
            }
        },
        FuzzedParser("user-code") { input in
            guard let code = UserCode(typed: input.text) else { return }
            try require(code.shown.utf8.count == 9, "A code has another length.")
            try require(UserCode(typed: code.shown) == code, "A code is not the same when it is read again.")
        },
    ]

    private static func isResource(_ address: String) -> Bool {
        ReturnAddress.check(address) { $0 == AccessHost("app.example.org") && $1 == "https" }?.origin != nil
    }

    private static func isAllowed(_ redirect: String) -> Bool {
        let loopback = "http://127.0.0.1"
        return app.redirects.contains(redirect)
            || redirect.hasPrefix(loopback) && redirect.hasSuffix("/callback")
                && redirect.dropFirst(loopback.count).dropLast("/callback".count).allSatisfy {
                    ":0123456789".contains($0)
                }
    }

    private static func parameters(
        _ fields: FormFields, to destination: AuthorizationParameters.Destination
    ) throws(AuthorizationError) -> AuthorizationParameters {
        try AuthorizationParameters(fields, to: destination, ruleScopes: ["files:read"], isResource: isResource)
    }

    /// A redirect changes no other header field, and a page can open its address.
    private static func requireHarmless(
        _ destination: AuthorizationParameters.Destination
    ) throws(BrokenProperty) {
        let link = DeepLink.link(destination.redirect, [("state", destination.state ?? "")])
        try require(HTTPHeaders.isSafe(name: "Location", value: link), "A redirect breaks a header.")
        try require(link.hasPrefix(destination.redirect), "A redirect leads elsewhere.")
        try require(HTML.isLink(link), "A page does not open the address of a redirect.")
        try require(!destination.shownRedirect.contains("/"), "A page shows more than the host.")
    }

    /// A request is the same after it was stored, and so is its code.
    private static func requireStored(_ fields: FormFields, _ parameters: AuthorizationParameters) throws {
        let pending = PendingRequest(fields, client: app.id, received: now, isPushed: true)
        let opened = PendingRequest(opening: try pending.sealed(keys.state, for: [1]), keys.state, for: [1])
        try require(opened?.parameters == pending.parameters, "A stored request is not the same when it is read again.")
        guard let stored = opened?.fields else { return try require(false, "A stored request cannot be read.") }
        let again = try self.parameters(stored, to: parameters.destination)
        try require(
            again.grant == parameters.grant && again.nonce == parameters.nonce && again.prompts == parameters.prompts
                && again.maximumAge == parameters.maximumAge && again.level == parameters.level
                && again.keyThumbprint == parameters.keyThumbprint && again.hasHint == parameters.hasHint,
            "A stored request means something else.")
        let code = OneTimeCode()
        let record = AuthorizationCode(parameters, allowedIn: FuzzedClient.session, expires: now)
        let read = AuthorizationCode(opening: try record.sealed(for: code, keys), for: code, keys)
        try require(
            read?.grant == record.grant && read?.redirect == record.redirect && read?.nonce == record.nonce
                && read?.keyThumbprint == record.keyThumbprint && read?.challenge == record.challenge,
            "The code is for another request.")
    }
}

/// A client that signs, and the session of a person, made once.
private enum FuzzedClient {
    static let key = Result { try SigningKey.generate(.es256) }
    static let keys = Result { () throws -> ClientKeys in
        let set = JSONWebKeySet([try key.get().publicKey])
        guard let keys = ClientKeys(String(decoding: set.json.encoded(), as: UTF8.self)) else {
            throw BrokenProperty(description: "The fuzzer's own key cannot be read.")
        }
        return keys
    }

    static let session: Session = {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let person = Person(
            id: UUID(), email: "ada@example.org", name: nil, created: now, sessionEpoch: 1, disabled: nil,
            isAdministrator: false, isVerified: true)
        return Session(id: SessionID(rawValue: "1"), person: person, created: now, expires: now, cap: now)
    }()
}
