public import LatchKit
public import Observation
import Primitives

/// The addresses at which the server of an account can be reached, and the Wi-Fi networks on which the local one is
/// preferred.
///
/// Source: IM-13, IM-14.
@MainActor @Observable
public final class EndpointsScreen {
    /// One address in the list.
    public struct Row: Identifiable, Equatable, Sendable {
        /// The kind of an address.
        public enum Kind: Sendable, Equatable {
            /// The address in the local network.
            case local
            /// An address that is reachable from anywhere.
            case external
            /// The account's own address, which is used last and cannot be removed.
            case own
        }

        /// The address.
        public let address: ServerAddress
        /// The kind of the address.
        public let kind: Kind
        /// The result of the last test, as a sentence. Nil when it was not tested.
        public var test: String?
        /// The address as text.
        public var id: String { address.url }
    }

    /// The texts of the screen.
    public enum Text {
        /// The heading.
        public static let title = "Addresses"
        /// The name of the field for another address.
        public static let address = "Address"
        /// The choice that the address is the one in the local network.
        public static let isLocal = "Only in the local network"
        /// The button that adds the address.
        public static let add = "Add address"
        /// The button that makes an address the first of the external ones.
        public static let prefer = "Use first"
        /// The button that removes an address or a network.
        public static let remove = CommonText.remove
        /// The button that tests all addresses.
        public static let test = "Test addresses"
        /// The heading of the networks.
        public static let networks = "Wi-Fi networks of the local address"
        /// The name of the field for the name of a network.
        public static let network = "Network name"
        /// The button that adds the network.
        public static let addNetwork = "Add network"
        /// The mark of an address in the local network.
        public static let local = "Local network"
        /// The mark of an address that is reachable from anywhere.
        public static let external = "External"
        /// The mark of the account's own address.
        public static let own = "Address of the sign-in"
        /// The button that fills the field with the announced address.
        static func use(_ address: ServerAddress) -> String { "Use \(address)" }
        /// The result of a successful test.
        public static let usable = "Can be used"
    }

    /// What the screen shows.
    public private(set) var state = ListState<Row>.loading
    /// The names of the Wi-Fi networks on which the local address is preferred.
    public private(set) var networks: [String] = []
    /// A public address that the server announces and the account does not have. Nil when there is none.
    public private(set) var suggestion: ServerAddress?
    /// The button that fills the field with ``suggestion``. Nil when there is none.
    public var suggestionTitle: String? { suggestion.map(Text.use) }
    /// The address to add, as the person types it.
    public var address = ""
    /// Whether the address to add is the one in the local network.
    public var isLocal = false
    /// The name of the network to add.
    public var network = ""
    /// Whether a command is running. No other one begins before its end.
    public private(set) var isBusy = false

    @ObservationIgnored private let client: LatchClient
    @ObservationIgnored private let account: Account
    @ObservationIgnored private let work = ScreenTask()
    @ObservationIgnored private let suggesting = ScreenTask()

    init(_ client: LatchClient, account: Account) {
        self.client = client
        self.account = account
    }

    /// Loads the list, and asks the server which address it announces. Called when the screen is shown.
    public func load() {
        perform { _, _ in }
        suggesting.start { [client, account, weak self] isCurrent in
            let address = try? await client.announcedAddress(of: account)
            if isCurrent() { self?.suggestion = address }
        }
    }

    /// Adds the address in the field. The server there must confirm that the same person is signed in.
    public func add() {
        let text = address
        guard !text.allSatisfy(\.isWhitespace) else { return }
        let isLocal = isLocal
        perform { client, account in
            try await client.addEndpoint(ServerAddress(text), isLocal: isLocal, to: account)
        } then: { screen in
            (screen.address, screen.isLocal, screen.suggestion) = ("", false, nil)
        }
    }

    /// Fills the field with the announced address.
    public func useSuggestion() {
        if let suggestion { address = suggestion.url }
    }

    /// Removes an address.
    public func remove(_ address: ServerAddress) {
        perform { client, account in try await client.removeEndpoint(address, of: account) }
    }

    /// Makes an address the first of the external ones.
    public func prefer(_ address: ServerAddress) {
        perform { client, account in try await client.preferEndpoint(address, of: account) }
    }

    /// Adds the network in the field.
    public func addNetwork() {
        let name = network.trimmed
        guard !name.isEmpty else { return }
        perform { client, account in
            try await client.addWifiName(name, of: account)
        } then: { screen in
            screen.network = ""
        }
    }

    /// Removes a network.
    public func removeNetwork(_ name: String) {
        perform { client, account in try await client.removeWifiName(name, of: account) }
    }

    /// Tests whether each address can be used now. The results appear as they arrive.
    public func test() {
        guard !isBusy, case .loaded(var rows, _) = state else { return }
        isBusy = true
        work.start { [client, account, weak self] isCurrent in
            let endpoints = (try? await client.endpoints(of: account))?.all ?? []
            for index in rows.indices {
                let endpoint = endpoints.first { $0.address == rows[index].address }
                do {
                    if let endpoint {
                        try await client.testEndpoint(endpoint, of: account)
                    } else {
                        try await client.testOwnAddress(of: account)
                    }
                    rows[index].test = Text.usable
                } catch {
                    rows[index].test = ScreenError(error).message
                }
                guard isCurrent() else { return }
                self?.state = .loaded(rows, nil)
            }
            self?.isBusy = false
        }
    }

    private func perform(
        _ command: @escaping @Sendable (LatchClient, Account) async throws -> Void,
        then finish: @escaping @MainActor (EndpointsScreen) -> Void = { _ in }
    ) {
        guard !isBusy else { return }
        isBusy = true
        work.start { [client, account, weak self] isCurrent in
            var failure: (any Error)?
            do { try await command(client, account) } catch { failure = error }
            let settings: EndpointSettings
            do {
                settings = try await client.endpoints(of: account)
            } catch {
                guard isCurrent(), let self else { return }
                (self.state, self.isBusy) = (self.state.failed(error), false)
                return
            }
            guard isCurrent(), let self else { return }
            self.networks = settings.wifiNames
            self.state = .loaded(self.rows(settings), failure.map { ScreenError($0) })
            if failure == nil { finish(self) }
            self.isBusy = false
        }
    }

    private func rows(_ settings: EndpointSettings) -> [Row] {
        let local = settings.local.map { [Row(address: $0.address, kind: .local)] } ?? []
        return local + settings.external.map { Row(address: $0.address, kind: .external) }
            + [Row(address: account.serverURL, kind: .own)]
    }
}
