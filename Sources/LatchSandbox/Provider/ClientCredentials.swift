import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer

/// The credentials of a client at the token endpoint.
///
/// Source: RFC 6749 §2.3.1 and §3.2.1; RFC 7617 §2.
struct ClientCredentials {
    let id: String
    let secret: Secret?

    /// The reason that the credentials cannot be used.
    enum Failure: Error {
        case severalMethods, unreadable, missing
    }

    init(_ request: ServerRequest, _ form: FormFields) throws(Failure) {
        guard let header = request.headers["Authorization"] else {
            guard let id = form["client_id"] else { throw .missing }
            self.id = id
            secret = form["client_secret"].map { Secret($0) }
            return
        }
        guard form["client_secret"] == nil else { throw .severalMethods }
        let words = header.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "basic",
            let bytes = Data(base64Encoded: String(words[1])), let text = String(validating: bytes, as: UTF8.self)
        else { throw .unreadable }
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard halves.count == 2, let id = Self.decoded(halves[0]), let secret = Self.decoded(halves[1]) else {
            throw .unreadable
        }
        guard form["client_id"] == nil || form["client_id"] == id else { throw .severalMethods }
        self.id = id
        self.secret = Secret(secret)
    }

    /// Returns whether these are the credentials of `client`: its secret, or no secret for a public client.
    func belong(to client: RegisteredClient) -> Bool {
        switch (client.secret, secret) {
        case (nil, nil): true
        case (let one?, let other?): one == other
        default: false
        }
    }

    /// Decodes the id or the secret, which are form-encoded before base64 encoding.
    private static func decoded(_ text: String) -> String? {
        (try? FormURLEncoded.decode("v=" + text))?["v"]
    }
}
