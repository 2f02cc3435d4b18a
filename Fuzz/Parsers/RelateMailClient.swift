import Crypto
import FoundationEssentials
import HTTPClient
import HTTPMessages
import ServerMessages

@testable import LatchKit

extension FuzzedParser {
    static let relateMailClient = [
        // Any answer of a server of Relate Mail, as the client reads it: first line the status and the media type.
        FuzzedParser("relate-mail-answer") { input in
            var rest = input[...]
            let head = rest.takeLine().split(separator: " ", maxSplits: 1).map(String.init)
            let status = head.first.flatMap { Int($0) } ?? 200
            var headers: HTTPHeaders = [:]
            if head.count > 1, HTTPHeaders.isSafe(name: "Content-Type", value: head[1]) {
                headers["Content-Type"] = head[1]
            }
            let response = ClientResponse(
                status: HTTPStatus(rawValue: (200...599).contains(status) ? status : 200), headers: headers,
                body: Array(rest))
            let dialect = RelateMailDialect()
            let server = try ServerAddress("https://mail.example.org")
            if let key = try? dialect.key(from: response, of: server) {
                let fields = dialect.authorization(key.token)
                try require(
                    fields.fields.allSatisfy { HTTPHeaders.isSafe(name: $0.name, value: $0.value) },
                    "A key that no header can hold was taken.")
                try require(key.keyID?.isEmpty == false, "A key without id was taken.")
                let path = dialect.revokeKey(key.keyID ?? "").path
                try require((try? server.url(of: path)) != nil, "A key's id leads out of its path.")
                let again = SessionTokens(stored: SessionTokens(key).stored)
                try require(again == SessionTokens(key), "Key and id are others after writing and reading.")
            }
            for key in (try? dialect.keys(from: response, of: server)) ?? [] {
                try require(
                    (try? server.url(of: dialect.revokeKey(key.id).path)) != nil, "An id leads out of its path.")
            }
            if case .rejected(let rejection) = dialect.authenticationOutcome(
                of: response, to: "/api/profile", at: server)
            {
                try require(!rejection.isConclusive && status == 401, "What is vague ends a session at once.")
            }
            _ = (dialect.match(response), dialect.identity(from: response), dialect.errorMessage(in: response))
            if let configuration = try? JSON.decode(RelateMailConfiguration.self, from: Array(rest)),
                let provider = RelateMailProvider(configuration), provider.problem == nil
            {
                let scheme = provider.issuer.prefix { $0 != ":" }.lowercased()
                try require(["https", "http"].contains(scheme), "A provider that is no web address was taken.")
                try require(!provider.scopes.isEmpty, "Nothing would be asked for.")
            }
        },
        // A key as a person pastes it, a secret store's entry, and a server's time.
        FuzzedParser("pasted-key") { input in
            if let key = try? KeySignIn(key: Secret(bytes: input)).key {
                let text = key.reveal()
                try require(HTTPHeaders.isSafe(name: "Authorization", value: text), "No header can hold the key.")
                try require(!text.contains(" ") && (1...512).contains(text.utf8.count), "A key is more than a word.")
            }
            let tokens = SessionTokens(stored: Secret(bytes: input))
            let again = SessionTokens(stored: tokens.stored)
            try require(again.access == tokens.access, "A token is another after writing and reading.")
            if let date = ServerTime.date(input.text) {
                try require(date.timeIntervalSince1970.isFinite, "A time is none.")
            }
        },
    ]
}
