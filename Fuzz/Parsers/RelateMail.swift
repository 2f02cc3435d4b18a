import Crypto
import FoundationEssentials
import HTTPMessages
import ServerMessages

@testable import GatewayCore
@testable import JOSE
@testable import OpenIDConnect

extension FuzzedParser {
    static let relateMail = [
        // The bodies that both ends read, and the errors that a client shows.
        FuzzedParser("relate-mail-messages") { input in
            _ = try? JSON.decode(RelateMailDiscovery.self, from: input)
            _ = try? JSON.decode(RelateMailConfiguration.self, from: input)
            _ = try? JSON.decode(RelateMailKeyList.self, from: input)
            _ = try? JSON.decode(RelateMailProfileChange.self, from: input)
            _ = try? JSON.decode(RelateMailMobileKeyRequest.self, from: input)
            if let profile = try? JSON.decode(RelateMailProfile.self, from: input) {
                let again = try? JSON.decode(RelateMailProfile.self, from: JSON.encode(profile))
                try require(again == profile, "A profile is another after writing and reading.")
            }
            if let made = try? JSON.decode(RelateMailCreatedKey.self, from: input), made.apiKey.utf8.count == 44,
                !made.id.contains(made.apiKey)
            {
                try require(!"\(made)".contains(made.apiKey), "A key is in a message's description.")
            }
            if let request = try? JSON.decode(RelateMailKeyRequest.self, from: input), let scopes = request.scopes {
                let known = APIKeyScopes(scopes)
                try require(APIKeyScopes(known.words) == known, "Scopes are others after writing and reading.")
                try require(known.words.count <= scopes.count, "There are more scopes than were asked for.")
            }
            guard let error = RelateMailError(body: input) else { return }
            let again = RelateMailError(body: error.body(status: .badRequest, trace: "1"))
            try require(again == error, "An error is another after writing and reading.")
        },
        // The claims of a token of a provider that a program brings; the signature is another matter.
        FuzzedParser("access-token-claims") { input in
            let issuer = "https://id.example.org"
            let seconds = 1_800_000_000.0
            for type in ["at+jwt", "JWT"] {
                let header = Base64URL.encode(Array(#"{"alg":"ES256","typ":"\#(type)"}"#.utf8))
                let signature = try JSONWebSignature(parsing: "\(header).\(Base64URL.encode(input)).AAAA")
                let claims = try? PresentedTokenClaims(
                    signature, of: issuer, against: AccessTokenExpectation(audiences: ["mail"]),
                    now: Date(timeIntervalSince1970: seconds), maximumClockSkew: .seconds(60))
                guard let claims else { continue }
                let value = try JSONValue(parsing: input)
                try require(value["iss"]?.string == issuer, "Another issuer's token was accepted.")
                let audiences = value["aud"]?.array ?? [value["aud"] ?? .null]
                try require(audiences.contains("mail"), "A token for somebody else was accepted.")
                try require((value["exp"]?.number ?? 0) > seconds - 60, "A token that has expired was accepted.")
                try require((value["nbf"]?.number ?? 0) <= seconds + 60, "A token from the future was accepted.")
                try require(value["cnf"] == nil && value["events"] == nil, "Another kind of token was accepted.")
                try require(
                    type == "at+jwt" || value["at_hash"] == nil, "An ID token was accepted as an access token.")
                try require((1...255).contains(claims.subject.utf8.count), "A subject of a bad length was accepted.")
            }
        },
    ]
}
