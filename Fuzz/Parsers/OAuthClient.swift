import Crypto

@testable import HTTPClient
@testable import HTTPMessages
@testable import LatchKit

extension FuzzedParser {
    static let oauthClient = [
        // The metadata of an authorization server.
        FuzzedParser("authorization-server") { input in
            let issuer = "https://id.example.org"
            guard let place = OAuthEndpoint(issuer + "/.well-known/oauth-authorization-server") else { return }
            let result = Result { () throws(LatchError) in
                try AuthorizationServer(parsing: Array(input), of: [issuer], at: place)
            }
            guard case .success(let server) = result else { return }
            try require(server.issuer == issuer, "The metadata are those of another issuer.")
            let endpoints = [
                server.authorization, server.token, server.userInfo, server.revocation, server.registration,
            ]
            try require(
                endpoints.allSatisfy { $0?.origin.isEncrypted != false }, "An endpoint is not encrypted.")
            try require(AuthorizationServer(details: server.details) == server, "An account has another server.")
        },
        // Any answer of an authorization server: status, path, Name: value lines, an empty line, the body.
        FuzzedParser("oauth-answer") { input in
            guard let (response, path) = ClientResponse.fuzzed(input) else { return }
            let origin = try ServerAddress("https://id.example.org")
            let details = [
                "issuer": origin.url, "metadata": origin.url + "/m", "authorization_endpoint": origin.url + "/a",
                "token_endpoint": origin.url + "/t", "userinfo_endpoint": origin.url + "/u",
                "revocation_endpoint": origin.url + "/r",
            ]
            guard let dialect = OAuthDialect().with(details: details) as? OAuthDialect else { return }
            _ = (dialect.match(response), dialect.identity(from: response), dialect.errorMessage(in: response))
            if let grant = dialect.renewal(from: response) {
                try require(response.status.isSuccess, "A token was taken from a refusal.")
                for token in [grant.token, grant.refreshToken].compactMap(\.self) {
                    try require(token.withBytes { !$0.contains(10) }, "A token has two lines.")
                }
                let lifetime = grant.lifetime ?? .seconds(1)
                try require(lifetime > .zero && lifetime <= .seconds(315_360_000), "A token is good for \(lifetime).")
            }
            if case .rejected(let rejection) = dialect.authenticationOutcome(of: response, to: path, at: origin) {
                try require([400, 401].contains(response.status.rawValue), "\(response.status) ended a session.")
                try require(!rejection.isConclusive || path == "/t", "\(path) ended a session.")
            }
        },
    ]
}
