import FoundationEssentials

/// Interprets NetworkManager's numbers.
///
/// Source: NetworkManager's D-Bus types, `NMState`, `NMMetered`.
struct NetworkNumbers {
    /// The folder with the kernel's routing tables. Tests use their own.
    let routes: String
    /// Whether NetworkManager manages the network. On a machine where other software does, it reports "disconnected"
    /// forever. Once it has reported a connection, its reports are trusted.
    private var managesNetwork = false

    init(routes: String) { self.routes = routes }

    mutating func state(_ state: UInt32, metered: UInt32) -> NetworkState {
        // 50 is a network without internet access (`NM_STATE_CONNECTED_LOCAL`). A private server may be reachable on
        // it.
        if state >= 50 { managesNetwork = true }
        let isConnected = state >= 50 || state == 0 || (!managesNetwork && hasDefaultRoute)
        // 1 means metered, 3 means probably metered.
        return NetworkState(isConnected: isConnected, isMetered: metered == 1 || metered == 3)
    }

    /// Whether the kernel has a default route.
    ///
    /// Source: proc(5), `/proc/net/route`; the kernel's `fib_route_seq_show` and `rt6_info_route`.
    private var hasDefaultRoute: Bool {
        rows("route").contains { $0.count > 7 && $0[1] == "00000000" && $0[7] == "00000000" && $0[0] != "lo" }
            || rows("ipv6_route").contains {
                $0.count > 9 && $0[1] == "00" && $0[0].allSatisfy { $0 == "0" } && $0[9] != "lo"
            }
    }

    private func rows(_ name: String) -> [[Substring]] {
        let bytes = FileManager.default.contents(atPath: routes + "/" + name) ?? Data()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
            $0.split(whereSeparator: \.isWhitespace)
        }
    }
}
