import GatewayCore

/// Names where an address leads, for people.
package enum AddressName {
    /// Returns the host of an address, this device, or an app.
    package static func text(of address: String) -> String {
        let scheme = address.prefix { $0 != ":" }
        guard scheme == "https" || scheme == "http" else { return "an app on this device (\(scheme))" }
        let host = String(address.dropFirst(scheme.count + 3).prefix { $0 != "/" && $0 != "?" })
        return scheme == "http" && AccessHost(host)?.isLoopback == true ? "a program on this device" : host
    }
}
