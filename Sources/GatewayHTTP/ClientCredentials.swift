package import Crypto
import FoundationEssentials
package import HTTPMessages
package import HTTPServer

/// The credentials of a client at a token endpoint.
///
/// Source: RFC 6749 §2.3.1; RFC 7617 §2.
package enum ClientCredentials {
    /// No secret: a public client.
    case none
    /// An id and a secret, from the `Authorization` field or from the form.
    case secret(id: String, secret: SentSecret)
    /// A statement that the client signed, the type that it was sent with, and the `client_id` of the form.
    ///
    /// Source: RFC 7521 §4.2.
    case assertion(String, type: String?, id: String?)
    /// Credentials in both places, or more than once in one place.
    case ambiguous
    /// An `Authorization` field that is not a valid field of the Basic scheme.
    case unreadable

    /// Reads the credentials from a request and its form.
    package init(_ request: ServerRequest, _ form: FormFields) {
        let fields = request.headers.values("Authorization")
        let secrets = form.values("client_secret")
        let ids = form.values("client_id")
        let assertions = form.values("client_assertion")
        let types = form.values("client_assertion_type")
        guard fields.count + secrets.count + max(assertions.count, types.count) <= 1, ids.count <= 1 else {
            self = .ambiguous
            return
        }
        if let field = fields.first {
            self = Self.basic(field) ?? .unreadable
            // The form may repeat the id of the `Authorization` field, but must not contain another one.
            if case .secret(let id, _) = self, let named = ids.first, named != id { self = .ambiguous }
        } else if let secret = secrets.first {
            self = .secret(id: ids.first ?? "", secret: SentSecret([Secret(secret)]))
        } else if let assertion = assertions.first ?? types.first.map({ _ in "" }) {
            self = .assertion(assertion, type: types.first, id: ids.first)
        } else {
            self = .none
        }
    }

    /// Whether the client authenticates itself with these, rightly or wrongly. An empty secret counts as none, because some
    /// libraries send one for a public client.
    package var attemptAuthentication: Bool {
        switch self {
        case .secret(_, let secret): !secret.isEmpty
        case .assertion: true
        case .none, .ambiguous, .unreadable: false
        }
    }

    private static func basic(_ field: String) -> ClientCredentials? {
        guard let credentials = BasicCredentials(field), let id = text(credentials.name) else { return nil }
        let isAmbiguous = credentials.password.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "%") }
        let texts = [
            text(credentials.password), isAmbiguous ? String(validating: credentials.password, as: UTF8.self) : nil,
        ].compactMap { $0 }
        return texts.isEmpty ? nil : .secret(id: id, secret: SentSecret(texts.map { Secret($0) }))
    }

    /// Decodes the id or the secret. Both are form-encoded before they are encoded with Base64, as RFC 6749 says. Many
    /// libraries do not do that, and half of all secrets in Base64 contain '+'.
    private static func text(_ bytes: Data) -> String? {
        PercentEncoding.decode(bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
    }
}

/// A secret as a client sent it: what it may mean, because not every client form-encodes it for the `Authorization` field.
package struct SentSecret: Sendable {
    private let meanings: [Secret]

    fileprivate init(_ meanings: [Secret]) {
        self.meanings = meanings
    }

    /// Whether the secret is empty.
    package var isEmpty: Bool { meanings.allSatisfy { $0.count == 0 } }

    /// Whether the secret is the one with a SHA-256.
    package func matches(_ hash: SHA256Digest) -> Bool { meanings.contains { SHA256.digest($0) == hash } }

    /// Whether the secret is this one.
    package func matches(_ secret: Secret) -> Bool { meanings.contains { $0 == secret } }
}
