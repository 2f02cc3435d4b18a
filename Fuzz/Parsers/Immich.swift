@testable import Crypto
@testable import GatewayDialects
@testable import HTTPMessages
@testable import OpenIDConnect
@testable import ServerMessages

extension FuzzedParser {
    static let immich = [
        // Bodies of requests, as every route reads them.
        FuzzedParser("immich-body") { input in
            var body = ImmichBody(input)
            let (email, pin) = (body.email("email"), body.pin("pinCode", 6...6))
            let password = body.text("password", atLeast: 1)
            _ = body.optionalText("name")
            _ = body.optionalBool("isPendingSyncReset")
            let duration = body.optionalNumber("duration", atLeast: 1)
            if body.issues.isEmpty {
                try require(ImmichBody.isEmail(email), "Something was taken for an e-mail address that is none.")
                try require(pin.utf8.count == 6 && Int(pin) != nil, "Something was taken for a PIN that is none.")
                try require(!password.isEmpty && duration ?? 1 >= 1, "A member was taken that is too small.")
            }
            let asked: Set = ["email", "pinCode", "password", "name", "isPendingSyncReset", "duration"]
            try require(
                body.issues.allSatisfy { asked.isSuperset(of: $0.path) }, "A refusal names what nobody asked for.")
        },
        // What a server of this family answers.
        FuzzedParser("immich-messages") { input in
            _ = try? JSON.decode(ImmichUser.self, from: input)
            _ = try? JSON.decode([ImmichSession].self, from: input)
            _ = try? JSON.decode(ImmichConfig.self, from: input)
            _ = try? JSON.decode(ImmichFeatures.self, from: input)
            _ = try? JSON.decode(ImmichVersion.self, from: input)
            _ = try? JSON.decode(ImmichWellKnown.self, from: input)
            if let response = try? JSON.decode(ImmichLoginResponse.self, from: input),
                response.accessToken.utf8.count > 8
            {
                try require(!"\(response)".contains(response.accessToken), "A token is in a message's description.")
            }
            guard let error = ImmichError(body: input) else { return }
            let again = ImmichError(body: JSON.encode(error))
            try require(again?.message == error.message, "An error says something else when it is written again.")
        },
        FuzzedParser("logout-token") { input in
            _ = LogoutToken.unverifiedIssuer(of: Secret(input.text))
        },
    ]
}
