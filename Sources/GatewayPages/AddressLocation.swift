import GatewayCore
import HTTPMessages

/// The location of an IP address, as a phrase for people.
package enum AddressLocation: String, Sendable {
    case thisMachine = "this machine"
    case localNetwork = "local network"
    case internet

    /// Source: RFC 1918 §3, RFC 3927 §2.1, RFC 6598 §7, RFC 4193 §3.1, RFC 4291 §2.4.
    private static let local = [
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10", "fc00::/7", "fe80::/10",
    ].compactMap(IPNetwork.init)

    /// Makes the location of an address in the form that ``ClientAddress`` writes. Nil when the text is not an address.
    init?(_ text: String) {
        if text == ClientAddress(nil).description {
            self = .thisMachine
            return
        }
        guard let address = IPAddress(text) else { return nil }
        if address.isLoopback {
            self = .thisMachine
        } else {
            self = Self.local.contains { $0.contains(address) } ? .localNetwork : .internet
        }
    }

    /// Returns an address and where it is, such as `192.168.1.7 (local network)`.
    package static func phrase(for address: String?) -> String {
        guard let address else { return "an unknown address" }
        guard let place = AddressLocation(address) else { return address }
        return address == ClientAddress(nil).description ? place.rawValue : "\(address) (\(place.rawValue))"
    }
}
