import Foundation

@testable import Crypto
@testable import HTTPClient
@testable import HTTPMessages
@testable import LatchKit
@testable import ServerMessages

extension FuzzedParser {
    // An answer to the client: status, path, Name: value lines, an empty line, and the body.
    static let onyx = [
        FuzzedParser("onyx-answer") { input in
            guard let (response, path) = ClientResponse.fuzzed(input) else { return }
            let server = try ServerAddress("https://photos.example.org")
            let dialect = OnyxDialect()
            _ = dialect.match(response)
            switch Result(catching: { () throws(LatchError) in try dialect.grant(from: response, of: server) }) {
            case .success(let grant):
                let token = grant.token.reveal()
                try require(response.status.isSuccess, "A token was taken from a refusal.")
                try require(
                    HTTPHeaders.isSafe(name: "Authorization", value: token) && !token.contains(" "),
                    "A token was taken that cannot stand in a header.")
            case .failure(let error):
                try require(
                    !error.message.unicodeScalars.contains { $0.properties.generalCategory == .control },
                    "A message to people holds a control character of the server's.")
            }
            if let identity = dialect.identity(from: response) {
                _ = dialect.refreshDate(now: Date(timeIntervalSince1970: 0), expires: identity.tokenExpires)
            }
            switch dialect.authenticationOutcome(of: response, to: path, at: server) {
            case .rejected:
                try require(
                    [200, 401, 403].contains(response.status.rawValue), "Status \(response.status) ended a session.")
            default: break
            }
        },
        FuzzedParser("onyx-messages") { input in
            _ = try? JSON.decode(OnyxAuthType.self, from: input)
            _ = try? JSON.decode(OnyxUser.self, from: input)
            _ = try? JSON.decode(OnyxRegistration.self, from: input)
            _ = try? JSON.decode(OnyxRegistered.self, from: input)
            if let token = try? JSON.decode(OnyxTokenResponse.self, from: input), token.accessToken.utf8.count > 8 {
                try require(!"\(token)".contains(token.accessToken), "A token is in a message's description.")
            }
            guard let error = OnyxError(body: input) else { return }
            let again = OnyxError(body: error.body(status: .badRequest))
            try require(again?.envelope == error.envelope, "An error has another envelope when it is written again.")
        },
        // The lines of a response's header as curl hands them over.
        FuzzedParser("response-header") { input in
            let address = try RequestAddress(parsing: "https://photos.example.org")
            var receiver = ResponseReceiver(
                TransferPlan(
                    method: .get, address: address, headers: [:], body: [], userAgent: "fuzz",
                    connectTimeout: .seconds(1)))
            for line in input.lines(64) {
                let goesOn = line.withUnsafeBytes { receiver.takeHeader($0) }
                try require(goesOn == (receiver.refusal == nil), "A refusal has no reason.")
            }
            _ = Array("body".utf8).withUnsafeBytes { receiver.takeBody($0) }
        },
    ]
}

extension ClientResponse {
    static func fuzzed(_ input: [UInt8]) -> (ClientResponse, path: String)? {
        var rest = input[...]
        let words = rest.takeLine().split(separator: " ", maxSplits: 1)
        guard words.count == 2, let status = Int(words[0]), (200..<600).contains(status) else { return nil }
        var headers = HTTPHeaders()
        while !rest.isEmpty {
            let field = rest.takeLine().split(separator: ":", maxSplits: 1).map(String.init)
            guard let name = field.first else { break }
            headers.append(name, String((field.dropFirst().first ?? "").drop { $0 == " " }))
        }
        let response = ClientResponse(status: HTTPStatus(rawValue: status), headers: headers, body: Array(rest))
        return (response, String(words[1]))
    }
}
