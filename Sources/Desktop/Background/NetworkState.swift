/// Whether the network is connected, whether it is metered, and the name of its Wi-Fi network.
public struct NetworkState: Sendable, Hashable {
    /// Whether other machines can be reached.
    public var isConnected: Bool
    /// Whether the connection is metered, as mobile connections often are.
    public var isMetered: Bool
    /// The name (SSID) of the Wi-Fi network. Nil without Wi-Fi, and when no service reports the name.
    public var wifiName: String?

    /// Creates a state.
    public init(isConnected: Bool, isMetered: Bool, wifiName: String? = nil) {
        self.isConnected = isConnected
        self.isMetered = isMetered
        self.wifiName = wifiName
    }

    /// The state that is assumed when no service reports the network state.
    public static let unwatched = NetworkState(isConnected: true, isMetered: false)
}
