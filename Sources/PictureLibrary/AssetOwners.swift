package import FoundationEssentials
package import GatewayCore
import Primitives

/// The owners whose folders a person may see: the person, by e-mail address or id, and the shared owner.
package struct AssetOwners: Sendable, Equatable {
    /// The name of the folder that everybody may see.
    package static let shared = "shared"

    /// The person's verified address, or the id when the address is not verified.
    package let email: String
    package let id: String

    package init(_ person: Person) {
        // An unverified address may be another person's, so it gives no access to a folder.
        self.init(email: person.username, id: person.id)
    }

    package init(email: String, id: UUID) {
        self.email = email
        self.id = id.uuidString.lowercased()
    }

    /// Whether the person may see the files of an owner.
    package func own(_ owner: String) -> Bool {
        [email, id, Self.shared].contains { $0.utf8.elementsEqual(owner.utf8) }
    }

    /// Returns the owner of a folder: the first component of its path, in lower case.
    package static func owner(ofFolder path: String) -> String {
        path.prefix(beforeBytes: "/").lowercasedASCII
    }
}
