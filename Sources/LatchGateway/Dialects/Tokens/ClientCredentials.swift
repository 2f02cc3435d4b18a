import Crypto
import FoundationEssentials
import HTTPServer
import Wire

/// How a client says who it is at a token endpoint.
///
/// Source: RFC 6749 §2.3.1; RFC 7617 §2.
enum ClientCredentials {
    /// Nothing that would prove anything: a public client, which has no secret.
    case none
    /// An id and a secret, in the `Authorization` field or in the form.
    case secret(id: String, secret: Secret, isBasic: Bool)
    /// Two ways at once, or one twice.
    case ambiguous
    /// An `Authorization` field that is not in Basic's form.
    case unreadable

    /// Reads a request and its form.
    init(_ request: ServerRequest, _ form: FormFields) {
        let fields = request.headers.values("Authorization")
        let secrets = form.values("client_secret")
        let ids = form.values("client_id")
        guard fields.count + secrets.count <= 1, ids.count <= 1 else {
            self = .ambiguous
            return
        }
        if let field = fields.first {
            self = Self.basic(field) ?? .unreadable
            // The form may repeat the name that Basic said, and no other.
            if case .secret(let id, _, _) = self, let named = ids.first, named != id { self = .ambiguous }
        } else if let secret = secrets.first {
            self = .secret(id: ids.first ?? "", secret: Secret(secret), isBasic: false)
        } else {
            self = .none
        }
    }

    private static func basic(_ field: String) -> ClientCredentials? {
        guard let credentials = BasicCredentials(field), let id = text(credentials.name),
            let secret = text(credentials.password)
        else { return nil }
        return .secret(id: id, secret: Secret(secret), isBasic: true)
    }

    /// Both halves are encoded as a form's values are, before Base64.
    private static func text(_ bytes: Data) -> String? {
        PercentEncoding.decode(bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
    }
}
