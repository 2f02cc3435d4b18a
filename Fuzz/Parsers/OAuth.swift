@testable import Crypto
@testable import OAuth

extension FuzzedParser {
    private static let redirect = "com.example.app:/callback"
    private static let state = "expected-state"

    static let oauth = [
        FuzzedParser("callback-url") { input in
            let text = input.text
            let result = Result { () throws(OAuthError) in
                try AuthorizationResponse.parse(
                    callbackURL: text, expectedRedirect: redirect, expectedState: State(state),
                    expectedIssuer: text.contains("iss=") ? "https://id.example.org" : nil)
            }
            switch result {
            case .success(let response):
                try require(text.utf8.starts(with: redirect.utf8), "Another address than the redirect was accepted.")
                if case .code(let code) = response { try require(code.count > 0, "An empty code was accepted.") }
            case .failure(let error):
                let query = text.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
                let value = query.split(separator: "&").first { $0.hasPrefix("code=") }?.dropFirst(5) ?? ""
                try require(
                    value.utf8.count < 8 || !error.message.contains("'\(value)'"), "The code is in the error's message."
                )
            }
        },
        FuzzedParser("token-response") { input in
            if let response = try? TokenResponse(parsing: input) {
                try require(response.accessToken.count > 0, "An empty token was accepted.")
                try require(response.expiresIn ?? .zero >= .zero, "A token's lifetime is negative.")
                let token = response.accessToken.reveal()
                try require(token.utf8.count < 6 || !"\(response)".contains(token), "A token is in a description.")
            }
            if let refusal = try? TokenErrorResponse(parsing: input) {
                try require(!refusal.error.isEmpty, "A refusal without a code was accepted.")
            }
        },
        FuzzedParser("device-response") { input in
            guard let response = try? DeviceAuthorizationResponse(parsing: input) else { return }
            try require(response.deviceCode.count > 0, "An empty code was accepted.")
            try require(response.expiresIn > .zero && response.interval > .zero, "A time is not positive.")
            let code = response.deviceCode.reveal()
            let others = response.userCode + response.verification + (response.completeVerification ?? "")
            try require(
                code.utf8.count < 6 || others.contains(code) || !"\(response)".contains(code),
                "The device's code is in a description.")
        },
        FuzzedParser("challenge") { input in
            let text = input.text
            let challenges = AuthenticationChallenge.all(in: [text])
            for challenge in challenges {
                try require(!challenge.scheme.isEmpty, "A challenge without a scheme was read.")
                try require(challenge.scheme == challenge.scheme.lowercased(), "A scheme has capital letters.")
                try require(!challenge.parameters.keys.contains(""), "A parameter without a name was read.")
            }
            try require(
                AuthenticationChallenge.all(in: [text + ","]) == challenges || challenges.isEmpty,
                "A comma at the end changes what is read.")
        },
        FuzzedParser("protected-resource") { input in
            let address = "https://app.example.org"
            guard let resource = try? ProtectedResource(reading: Array(input), of: address) else { return }
            try require(resource.server?.isEmpty != true, "A server without a name was accepted.")
            try require(
                input.text.contains("app.example.org") || input.text.contains("\\"), "Another address was accepted.")
        },
    ]
}
