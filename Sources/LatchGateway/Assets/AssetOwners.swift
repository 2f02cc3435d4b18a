import FoundationEssentials

/// The owners whose folders a person may see: the person, by e-mail address or id, and the shared owner.
struct AssetOwners: Sendable, Equatable {
    /// The name of the folder that everybody may see.
    static let shared = "shared"

    /// The person's verified address, or the id when the address is not verified.
    let email: String
    let id: String

    init(_ person: Person) {
        // An unverified address may be another person's, so it gives no access to a folder.
        self.init(email: person.username, id: person.id)
    }

    init(email: String, id: UUID) {
        self.email = email
        self.id = id.uuidString.lowercased()
    }

    /// Whether the person may see the files of an owner.
    func own(_ owner: String) -> Bool {
        [email, id, Self.shared].contains { $0.utf8.elementsEqual(owner.utf8) }
    }

    /// Returns the owner of a folder: the first component of its path, in lower case.
    static func owner(ofFolder path: String) -> String {
        ExactText.lowercasingASCII(path.prefix { $0 != "/" })
    }
}
