import Crypto
package import FoundationEssentials
import OpenIDConnect

/// Who takes a share of a store of one-time codes: the one who signed in to get the code.
package struct CodeOwner: Sendable, Hashable {
    /// The maximum number of codes of one owner.
    package static let maximum = 64

    /// The hash by which a store counts, which does not reveal the owner.
    let key: SHA256Digest

    /// The clients of OAuth to which a person of this server signs in. They have a share of their own, because a page can
    /// make a browser sign in to one again and again.
    package static func clients(of person: UUID) -> Self { Self(key: SHA256.digest("clients\n" + person.uuidString)) }

    /// A person of this server who signs in to a dialect.
    package static func person(_ id: UUID) -> Self { Self(key: SHA256.digest("person\n" + id.uuidString)) }

    /// An identity at a provider, which may belong to no person.
    static func identity(_ identity: ProviderIdentity, at provider: String) -> Self {
        Self(key: SHA256.digest("identity\n\(provider)\n\(identity.issuer)\n\(identity.subject)"))
    }
}
