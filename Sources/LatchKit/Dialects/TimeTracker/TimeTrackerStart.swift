import HTTPClient
import HTTPMessages
import OAuth

/// The redirect at the start of a sign-in, and the `state` that the server created for it.
///
/// Source: docs/protocols/time-tracker.md, Start of a sign-in.
struct TimeTrackerStart {
    /// The address that the browser opens.
    let address: String
    /// The `state` that the callback must contain.
    let state: State

    /// The maximum length of an address to open, in bytes.
    private static let longest = 16_384

    /// Reads the response to `/auth/login`. Nil when the browser must open that address itself: the response sets a
    /// cookie, or is not a redirect to an address with one `state` and exactly this redirect address.
    init?(_ response: ClientResponse, from server: ServerAddress, redirect: String) {
        guard response.status.isRedirect, response.headers["Set-Cookie"] == nil,
            let target = response.headers["Location"], let address = Self.absolute(target, from: server),
            address.utf8.count <= Self.longest, let query = Self.query(of: address),
            query.values("redirect_uri") == [redirect], query.values("state").count == 1,
            let state = query["state"], !state.isEmpty
        else { return nil }
        self.address = address
        self.state = State(state)
    }

    /// Returns the fields in the query of an address. Nil when the query is malformed.
    static func query(of address: String) -> FormFields? {
        let query = address.utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        return try? FormURLEncoded.decode(Array(query))
    }

    /// Returns a redirect target as an absolute web address. Nil for any other target, because the result is passed to
    /// a desktop program.
    private static func absolute(_ target: String, from server: ServerAddress) -> String? {
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        if target.hasPrefix("/"), !target.hasPrefix("//") { return server.origin + target }
        let place = target.prefix { $0 != "?" && $0 != "#" }
        guard place.contains("://"), (try? ServerAddress(String(place))) != nil else { return nil }
        return target
    }
}
