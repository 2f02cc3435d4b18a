/// Somebody made up, for the provider, the gateways, or both.
public struct SandboxPerson: Sendable, Equatable {
    /// Where the person is known.
    public enum Place: Sendable, Equatable {
        /// At the provider and in every gateway.
        case everywhere
        /// At the provider only: a gateway gets to know the person at the first sign-in.
        case provider
        /// At the provider and in every gateway, which lets nobody in by this account.
        case disabled
    }

    /// The e-mail address.
    public let email: String
    /// The password, the same at the provider and in the gateways.
    public let password: String
    /// The name to show.
    public let name: String
    /// Whether the person administers the gateways.
    public let isAdministrator: Bool
    /// The groups at the provider.
    public var groups: [String] { isAdministrator ? ["admins"] : [] }
    /// Where the person is known.
    public let place: Place

    /// Everybody in the sandbox.
    public static let all = [
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
