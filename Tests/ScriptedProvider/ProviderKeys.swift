import Crypto
import HTTPMessages
import JOSE

/// The keys of all scripted providers, generated once because RSA key generation is slow.
struct ProviderKeys: Sendable {
    /// The RSA key for signing.
    var current: SigningKey
    /// The P-256 key that is also published.
    let elliptic: SigningKey

    static let first = Result { try SigningKey.generate(.rs256, keyID: "first") }
    static let second = Result { try SigningKey.generate(.rs256, keyID: "second") }
    static let unpublished = Result { try SigningKey.generate(.rs256, keyID: "other") }
    static let published = Result { try SigningKey.generate(.es256, keyID: "elliptic") }
    static let unpublishedElliptic = Result { try SigningKey.generate(.es256, keyID: "elliptic") }

    init() throws {
        current = try Self.first.get()
        elliptic = try Self.published.get()
    }

    mutating func rotate() throws {
        current = try Self.second.get()
    }

    /// Returns the elements of the key set. RSA keys have no `alg`, so that only the metadata excludes `PS256`.
    func published(_ script: ProviderScript) throws -> [JSONValue] {
        var keys = [element(current), element(elliptic)]
        if script.publishesSecondKey { keys.insert(element(try Self.unpublished.get()), at: 0) }
        return keys.map { key in
            var key = key
            script.publishedKey(&key)
            return .object(key.members)
        }
    }

    /// Returns a text that is signed, or not, according to the script.
    func sign(_ payload: JSONMembers, _ signing: ProviderScript.Signing, _ script: ProviderScript, secret: String)
        throws -> String
    {
        var header = JSONMembers([
            ("alg", .string(Self.algorithm(signing))), ("typ", "JWT"), ("kid", .string(keyID(signing))),
        ])
        script.header(&header)
        return try SignedText.make(header: header.encoded, payload: payload.encoded) { message in
            switch signing {
            case .right: try current.signature(of: message)
            case .none: []
            case .broken: try Self.broken(current.signature(of: message))
            case .otherKey: try Self.unpublished.get().signature(of: message)
            case .sharedSecret: SignedText.authenticated(message, by: Array(secret.utf8))
            case .publicKeyAsSecret:
                SignedText.authenticated(message, by: element(current).encoded)
            case .alternate: try SigningKey(current, for: .ps256).signature(of: message)
            case .elliptic: try elliptic.signature(of: message)
            case .otherElliptic: try Self.unpublishedElliptic.get().signature(of: message)
            }
        }
    }

    private func element(_ key: SigningKey) -> JSONMembers {
        var members = JSONMembers((key.publicJSON.members ?? []).map { ($0.name, $0.value) })
        if key.algorithm == .rs256 { members["alg"] = nil }
        return members
    }

    private func keyID(_ signing: ProviderScript.Signing) -> String {
        switch signing {
        case .elliptic, .otherElliptic: "elliptic"
        default: current.publicKey.keyID ?? ""
        }
    }

    private static func algorithm(_ signing: ProviderScript.Signing) -> String {
        switch signing {
        case .right, .broken, .otherKey: "RS256"
        case .none: "none"
        case .sharedSecret, .publicKeyAsSecret: "HS256"
        case .alternate: "PS256"
        case .elliptic, .otherElliptic: "ES256"
        }
    }

    private static func broken(_ signature: [UInt8]) -> [UInt8] {
        signature.dropLast() + [(signature.last ?? 0) ^ 1]
    }
}
