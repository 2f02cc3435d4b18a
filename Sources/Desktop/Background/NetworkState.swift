/// Whether the network is connected, whether it is metered, and the name of its Wi-Fi network.
package struct NetworkState: Sendable, Hashable {
    /// Whether other machines can be reached.
    package var isConnected: Bool
    /// Whether the connection is metered, as mobile connections often are.
    package var isMetered: Bool
    /// The name (SSID) of the Wi-Fi network. Nil without Wi-Fi, and when no service reports the name.
    package var wifiName: String?

    /// Creates a state.
    package init(isConnected: Bool, isMetered: Bool, wifiName: String? = nil) {
        self.isConnected = isConnected
        self.isMetered = isMetered
        self.wifiName = wifiName
    }

    /// The state that is assumed when no service reports the network state.
    package static let unwatched = NetworkState(isConnected: true, isMetered: false)
}
