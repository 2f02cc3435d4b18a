// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

public import LatchKit
import Network

/// The state of the network. Assign ``states`` to `LatchClient.Configuration.network`.
///
/// The name of the Wi-Fi network is not reported: it needs an entitlement and the permission for the location. Without
/// it the external addresses of a server are used (IM-13).
public enum NetworkPaths {
    /// Returns the current state, followed by each change. The watch ends with the stream.
    ///
    /// Source: https://developer.apple.com/documentation/network/nwpathmonitor
    @Sendable public static func states() -> AsyncStream<NetworkState> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let watch = Task { @concurrent in
                for await path in NWPathMonitor() {
                    continuation.yield(
                        state(path.status, isExpensive: path.isExpensive, isConstrained: path.isConstrained))
                }
            }
            continuation.onTermination = { _ in watch.cancel() }
        }
    }

    /// Source: https://developer.apple.com/documentation/network/nwpath
    static func state(_ status: NWPath.Status, isExpensive: Bool, isConstrained: Bool) -> NetworkState {
        NetworkState(isConnected: status == .satisfied, isMetered: isExpensive || isConstrained)
    }
}
