@testable import HTTPClient
@testable import HTTPMessages
@testable import LatchKit
@testable import OAuth

extension FuzzedParser {
    static let timeTrackerClient = [
        // Any answer of a server of Time Tracker to the client: status, path, Name: value lines, an empty line, the body.
        FuzzedParser("timetracker-answer") { input in
            guard let (response, path) = ClientResponse.fuzzed(input) else { return }
            let (dialect, server) = (TimeTrackerDialect(), try ServerAddress("https://time.example.org"))
            _ = (dialect.match(response), dialect.identity(from: response), dialect.errorMessage(in: response))
            switch Result(catching: { () throws(LatchError) in try dialect.grant(from: response, of: server) }) {
            case .success(let grant):
                try require(response.status.isSuccess, "A token was taken from a refusal.")
                try require(TimeTrackerToken.isSendable(grant.token.reveal()), "No header can hold the token.")
                let lifetime = grant.lifetime ?? .zero
                try require((.zero ... .seconds(315_360_000)).contains(lifetime), "A token is good for \(lifetime).")
            case .failure(let error): try check(error)
            }
            try check(dialect.startError(response, server))
            if case .rejected = dialect.authenticationOutcome(of: response, to: path, at: server) {
                try require(response.status.rawValue == 401, "Status \(response.status) ended a session.")
            }
        },
        // Where the start of a sign-in sends the browser.
        FuzzedParser("timetracker-start") { input in
            let redirect = "http://127.0.0.1:49152/callback"
            let server = try ServerAddress("https://time.example.org")
            let response = ClientResponse(status: .found, headers: ["Location": input.text])
            _ = TimeTrackerToken.lifetime(of: input.text, expiresIn: nil)
            guard let start = TimeTrackerStart(response, from: server, redirect: redirect) else { return }
            try require(
                start.address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "An address holds what no address can.")
            let scheme = start.address.prefix { $0 != ":" }.lowercased()
            try require(["http", "https"].contains(scheme), "A program of the desktop would get '\(scheme)'.")
            let query = TimeTrackerStart.query(of: start.address)
            try require(query?["redirect_uri"] == redirect, "The browser would come back elsewhere.")
            try require(!(query?["state"] ?? "").isEmpty, "Nothing could be compared.")
        },
    ]

    private static func check(_ error: LatchError) throws {
        try require(
            !error.message.unicodeScalars.contains { $0.properties.generalCategory == .control },
            "A message to people holds a control character of the server's.")
    }
}
