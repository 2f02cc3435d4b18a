/// A fictional person with accounts at the provider, the gateways, or both.
package struct SandboxPerson: Sendable, Equatable {
    /// Where a person has accounts.
    package enum Place: Sendable, Equatable {
        /// At the provider and in every gateway.
        case everywhere
        /// Only at the provider. A gateway creates the account at the first sign-in.
        case provider
        /// At the provider and in every gateway, where the account is disabled.
        case disabled
    }

    /// The e-mail address.
    package let email: String
    /// The password, the same at the provider and in the gateways.
    package let password: String
    /// The display name.
    package let name: String
    /// Whether the person is an administrator of the gateways.
    package let isAdministrator: Bool
    /// The groups at the provider.
    package var groups: [String] { isAdministrator ? ["admins"] : [] }
    /// Where the person has accounts.
    package let place: Place

    /// All people in the sandbox.
    package static let all = [
        SandboxPerson("ada", name: "Ada Lovelace", isAdministrator: true),
        SandboxPerson("bob", name: "Bob Builder"),
        SandboxPerson("carol", name: "Carol New", place: .provider),
        SandboxPerson("dora", name: "Dora Disabled", place: .disabled),
    ]

    private init(_ word: String, name: String, isAdministrator: Bool = false, place: Place = .everywhere) {
        email = "\(word)@example.org"
        password = "\(word)-plays-in-the-sandbox"
        self.name = name
        self.isAdministrator = isAdministrator
        self.place = place
    }
}
