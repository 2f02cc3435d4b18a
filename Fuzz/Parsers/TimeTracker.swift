import FoundationEssentials

@testable import Crypto
@testable import HTTPMessages
@testable import ServerMessages
@testable import SignInBridge

extension FuzzedParser {
    private static let startKeys = BridgeKeys(Secret(bytes: [UInt8](repeating: 2, count: 32)))

    static let timeTracker = [
        // The input is given as a JSON body, as a form, and as what a store kept.
        FuzzedParser("timetracker-token-body") { input in
            if let value = try? JSONValue(parsing: input) {
                try check(Result { () throws(TimeTrackerTokenRequest.Missing) in try TimeTrackerTokenRequest(value) })
            }
            if let form = try? FormURLEncoded.decode(input) {
                try check(Result { () throws(TimeTrackerTokenRequest.Missing) in try TimeTrackerTokenRequest(form) })
            }
            try require(
                SignInRecord(opening: input, for: input.text, startKeys) == nil,
                "A record that is not sealed was opened."
            )
        },
        FuzzedParser("timetracker-messages") { input in
            _ = try? JSON.decode(TimeTrackerError.self, from: input)
            if let user = try? JSON.decode(TimeTrackerUser.self, from: input) {
                let again = try JSONValue(parsing: JSON.encode(user))
                try require(again["fullName"] != nil && again.members?.count == 4, "A person has not all four members.")
                try require(try JSON.decode(TimeTrackerUser.self, from: again.encoded()) == user, "A person changed.")
            }
            guard let response = try? JSON.decode(TimeTrackerTokenResponse.self, from: input) else { return }
            try require(
                response.accessToken.utf8.count < 12 || !"\(response)".contains(response.accessToken),
                "A token is shown.")
        },
    ]

    private static func check(_ body: TimeTrackerTokenRequest) throws {
        try require("\(body)" == "TimeTrackerTokenRequest", "A body shows what it holds.")
        guard !body.code.isEmpty, !body.state.isEmpty, !body.redirectURI.isEmpty else { return }
        let again = try TimeTrackerTokenRequest(body.json)
        try require(
            again.code == body.code && again.state == body.state && again.redirectURI == body.redirectURI,
            "A body is another after it is written again.")
    }

    private static func check(_ missing: TimeTrackerTokenRequest.Missing) throws {
        let order = ["code", "state", "redirect_uri"]
        try require(
            !missing.names.isEmpty && order.filter(missing.names.contains) == missing.names,
            "What is missing is told in another order, or nothing is.")
    }

    private static func check(_ body: Result<TimeTrackerTokenRequest, TimeTrackerTokenRequest.Missing>) throws {
        switch body {
        case .success(let body): try check(body)
        case .failure(let missing): try check(missing)
        }
    }
}
