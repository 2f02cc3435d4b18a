/// Whether the network is connected and whether it is metered.
package struct NetworkState: Sendable, Hashable {
    /// Whether other machines can be reached.
    package var isConnected: Bool
    /// Whether the connection is metered, as mobile connections often are.
    package var isMetered: Bool

    /// Creates a state.
    package init(isConnected: Bool, isMetered: Bool) {
        self.isConnected = isConnected
        self.isMetered = isMetered
    }

    /// The state that is assumed when no service reports the network state.
    package static let unwatched = NetworkState(isConnected: true, isMetered: false)
}
