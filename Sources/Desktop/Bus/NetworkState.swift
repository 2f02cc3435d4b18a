internal import FoundationEssentials

/// Whether there is a network, and whether every byte on it costs something.
public struct NetworkState: Sendable, Hashable {
    /// Whether other machines may be reached.
    public var isConnected: Bool
    /// Whether what is sent is counted, as with a telephone.
    public var isMetered: Bool

    /// Makes a state.
    public init(isConnected: Bool, isMetered: Bool) {
        self.isConnected = isConnected
        self.isMetered = isMetered
    }

    /// What is taken for granted where nobody watches the network.
    public static let unwatched = NetworkState(isConnected: true, isMetered: false)
}

/// What the numbers of NetworkManager mean.
///
/// Source: NetworkManager's D-Bus types, `NMState`, `NMMetered`.
struct NetworkNumbers {
    /// The folder with the kernel's routes; tests have their own.
    let routes: String
    /// NetworkManager may run on a machine whose network others see to: it says "disconnected" there for ever. Once it has
    /// said otherwise it is believed.
    private var isInCharge = false

    init(routes: String) { self.routes = routes }

    mutating func state(_ state: UInt32, metered: UInt32) -> NetworkState {
        // 50 is a network without a way out of it, where a server of one's own may well be.
        if state >= 50 { isInCharge = true }
        let isConnected = state >= 50 || state == 0 || (!isInCharge && hasDefaultRoute)
        // 1 is yes, 3 a guess of yes.
        return NetworkState(isConnected: isConnected, isMetered: metered == 1 || metered == 3)
    }

    /// Whether the kernel has a way to the rest of the world.
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
