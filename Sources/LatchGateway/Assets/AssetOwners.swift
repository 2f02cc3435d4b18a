import FoundationEssentials

/// Whose folders a person sees: their own, named by e-mail address or id, and the one that is everybody's.
struct AssetOwners: Sendable, Equatable {
    /// The name of the folder that is everybody's.
    static let shared = "shared"

    /// The proved address; the id where the address is not proved.
    let email: String
    let id: String

    init(_ person: Person) {
        // A folder is found by an address only when that is known to be the person's own.
        self.init(email: person.username, id: person.id)
    }

    init(email: String, id: UUID) {
        self.email = email
        self.id = id.uuidString.lowercased()
    }

    /// Whether the person may see the files of this owner.
    func own(_ owner: String) -> Bool {
        [email, id, Self.shared].contains { $0.utf8.elementsEqual(owner.utf8) }
    }

    /// The owner that a folder of the library stands for, by its first component.
    static func owner(ofFolder path: String) -> String {
        ExactText.lowercasingASCII(path.prefix { $0 != "/" })
    }
}
