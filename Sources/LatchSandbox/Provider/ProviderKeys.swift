import Crypto
import HTTPMessages
import JOSE
import Synchronization

/// The signing keys of the provider: one for each algorithm in the key set, and one that is not published.
struct ProviderKeys: Sendable {
    private let keys: [(algorithm: SignatureAlgorithm, key: SigningKey)]
    let unknown: SigningKey

    init(_ algorithms: [SignatureAlgorithm]) throws(SandboxError) {
        guard !algorithms.isEmpty else { throw SandboxError(.keys, "The provider needs at least one algorithm.") }
        do {
            keys = try algorithms.map { ($0, try Self.key(for: $0)) }
            unknown = try SigningKey.generate(.es256)
        } catch {
            throw SandboxError(.keys, "The provider's keys could not be generated: \(error)")
        }
    }

    /// The keys of the process, shared by all its providers, because generating an RSA key takes a quarter of a second.
    private static let made = Mutex<[SignatureAlgorithm: SigningKey]>([:])

    private static func key(for algorithm: SignatureAlgorithm) throws(JOSEError) -> SigningKey {
        try made.withLock { made throws(JOSEError) in
            if let key = made[algorithm] { return key }
            let key = try SigningKey.generate(algorithm)
            made[algorithm] = key
            return key
        }
    }

    var algorithms: [SignatureAlgorithm] { keys.map(\.algorithm) }

    /// Returns the key for `algorithm`, or the first key if there is none.
    func key(_ algorithm: SignatureAlgorithm) -> SigningKey {
        keys.first { $0.algorithm == algorithm }?.key ?? keys[0].key
    }

    /// The public key set.
    var set: JSONValue { ["keys": .array(keys.map(\.key.publicJSON))] }

    /// Signs a payload, either correctly or with the requested fault.
    func sign(_ payload: [UInt8], type: String, as choices: TestChoices) throws(SandboxError) -> String {
        do {
            switch choices.fault {
            case .unsigned:
                let header: JSONValue = ["alg": "none", "typ": .string(type)]
                return Base64URL.encode(header.encoded()) + "." + Base64URL.encode(payload) + "."
            case .unknownKey: return try unknown.sign(payload: payload, type: type)
            case .wrongSignature: return Self.corrupted(try key(choices.algorithm).sign(payload: payload, type: type))
            default: return try key(choices.algorithm).sign(payload: payload, type: type)
            }
        } catch {
            throw SandboxError(.keys, "A token could not be signed: \(error)")
        }
    }

    /// Returns the token with the first character of its signature changed. The last character may contain unused bits.
    private static func corrupted(_ token: String) -> String {
        var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let first = parts.last?.first else { return token }
        parts[parts.count - 1] = (first == "A" ? "B" : "A") + (parts.last?.dropFirst() ?? "")
        return parts.joined(separator: ".")
    }
}
