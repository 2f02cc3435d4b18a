import JOSE
import Wire

/// The keys that the provider signs with: one of each algorithm in the key set, and one that nobody is told of.
struct ProviderKeys: Sendable {
    private let keys: [(algorithm: SignatureAlgorithm, key: SigningKey)]
    let unknown: SigningKey

    init(_ algorithms: [SignatureAlgorithm]) throws(SandboxError) {
        guard !algorithms.isEmpty else { throw SandboxError(.keys, "The provider needs at least one algorithm.") }
        do {
            keys = try algorithms.map { ($0, try SigningKey.generate($0)) }
            unknown = try SigningKey.generate(.es256)
        } catch {
            throw SandboxError(.keys, "The provider's keys could not be made: \(error)")
        }
    }

    var algorithms: [SignatureAlgorithm] { keys.map(\.algorithm) }

    /// The key of `algorithm`, else the first.
    func key(_ algorithm: SignatureAlgorithm) -> SigningKey {
        keys.first { $0.algorithm == algorithm }?.key ?? keys[0].key
    }

    /// The key set to publish.
    var set: JSONValue { ["keys": .array(keys.map(\.key.publicJSON))] }
}
