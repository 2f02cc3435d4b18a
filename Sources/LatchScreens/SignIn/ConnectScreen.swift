public import LatchKit
public import Observation

/// The first step of a sign-in: the address of the server.
///
/// Source: IM-2, IM-3; OX-10; RM-4.
@MainActor @Observable
public final class ConnectScreen {
    /// What the screen shows.
    public enum State: Equatable, Sendable {
        /// The person enters the address. The error is that of the last try.
        case editing(ScreenError?)
        /// The server is being asked.
        case connecting
    }

    /// The texts of the screen.
    public enum Text {
        /// The heading.
        public static let title = "Connect to your server"
        /// The name of the field.
        public static let address = "Server URL"
        /// The example in the empty field.
        public static let example = "https://your-server.com"
        /// The button that connects.
        public static let next = "Next"
        /// The button that opens ``ConnectScreen/connectionScreen()``.
        public static let settings = "Settings"
        /// The error when options of one server would be used for another one.
        static func otherServer(_ name: String) -> String {
            "The header fields and certificates under Settings belong to \(name), and were removed. Enter those of this "
                + "server if it needs any, and press Next again."
        }
        /// What is shown while the server is asked.
        public static let connecting = "Connecting…"
    }

    /// What the screen shows.
    public private(set) var state = State.editing(nil)
    /// The address of the server, as the person types it. The scheme may be missing. An edit stops asking the server.
    public var address: String { didSet { if address != oldValue, state != .editing(nil) { cancel() } } }
    /// The hosted servers, each of which is a button with its name.
    public let hostedServers = HostedServer.all
    /// How to connect: proxy, header fields and certificates. Options that belong to one server are not used for another
    /// address.
    public internal(set) var connection: ConnectionOptions
    /// Whether ``next()`` does anything.
    public var canContinue: Bool { state != .connecting && !address.allSatisfy(\.isWhitespace) }
    /// The error of the last try. Nil when there is none.
    public var error: ScreenError? { if case .editing(let error) = state { error } else { nil } }

    @ObservationIgnored private let client: LatchClient
    @ObservationIgnored private let onResult: @MainActor (Result) -> Void
    @ObservationIgnored let work = ScreenTask()
    /// The server to which ``connection`` belongs: that of an account, or the one that
    /// was asked first. Nil before.
    @ObservationIgnored private var owner: ServerAddress?

    /// How the search for a server ended, other than with an error.
    enum Result {
        case found(Server)
        case certificate(PresentedCertificate, at: ServerAddress, ScreenError)
    }

    init(
        _ client: LatchClient, address: String = "", connection: ConnectionOptions = .init(),
        onResult: @escaping @MainActor (Result) -> Void
    ) {
        self.client = client
        self.address = address
        self.connection = connection
        self.onResult = onResult
    }

    /// Asks the server. Afterwards the flow shows the next screen, or this one shows why there is no server.
    public func next() {
        guard canContinue else { return }
        let address: ServerAddress
        do {
            address = try ServerAddress(addressOrName: self.address)
        } catch {
            state = .editing(ScreenError(error))
            return
        }
        if let owner, !owner.hasSameOrigin(as: address) {
            let hasSecrets = connection.hasSecrets
            use(ConnectionOptions(), for: nil)
            if hasSecrets {
                state = .editing(ScreenError(.invalidRequest, Text.otherServer(owner.authority)))
                return
            }
        }
        owner = address
        state = .connecting
        work.start { [client, connection, weak self] isCurrent in
            let report = try? await client.probe(address, connection: connection)
            guard isCurrent(), let self, let report else { return }
            self.state = .editing(nil)
            if let server = report.server {
                try? await client.accounts.storeDiscoveredServer(server.address)
                if isCurrent() { self.onResult(.found(server)) }
            } else if let failure = report.failure {
                if let certificate = report.presentedCertificate {
                    self.onResult(.certificate(certificate, at: address, ScreenError(failure)))
                } else {
                    self.state = .editing(ScreenError(failure))
                }
            }
        }
    }

    /// Asks a hosted server, as if the person had entered its address.
    public func choose(_ server: HostedServer) {
        guard state != .connecting else { return }
        address = server.address.url
        next()
    }

    /// Makes the screen of the connection: proxy, header fields and certificates. They are used once they are saved.
    public func connectionScreen() -> ConnectionScreen { ConnectionScreen(self) }

    /// Stops asking the server. A late response has no effect.
    public func cancel() {
        work.cancel()
        state = .editing(nil)
    }

    /// Uses options that belong to one server. Nil: to none.
    func use(_ options: ConnectionOptions, for server: ServerAddress?) {
        connection = options
        owner = server
    }

    /// Uses options that the person has saved. They belong to the server of the previous ones, or else to that of the
    /// address in the field.
    func save(_ options: ConnectionOptions) {
        let previous = connection.belongsToServer ? owner : nil
        use(options, for: options.belongsToServer ? previous ?? (try? ServerAddress(address)) : nil)
    }

    func show(_ error: ScreenError) { state = .editing(error) }
}

extension ConnectionOptions {
    /// Whether another server must not receive a part of the options.
    fileprivate var hasSecrets: Bool { !extraHeaders.fields.isEmpty || clientCertificate != nil }

    /// Whether a part of the options is of use for one server only.
    fileprivate var belongsToServer: Bool { hasSecrets || pinnedCertificate != nil }
}
