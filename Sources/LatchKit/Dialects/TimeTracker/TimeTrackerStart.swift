import OAuth

/// Where a server sends the browser at the start of a sign-in, and the `state` that it made for it.
///
/// Source: contract of Time Tracker, b.1.
struct TimeTrackerStart {
    /// What the browser opens.
    let address: String
    /// What must come back.
    let state: State

    /// The longest address that is opened, in bytes.
    private static let longest = 16_384

    /// Reads the answer to `/auth/login`; nil where the browser has to go there itself: the answer sets a cookie, or does not
    /// say where to with one `state` and this very redirect address.
    init?(_ answer: ClientResponse, from server: ServerAddress, redirect: String) {
        guard answer.status.isRedirect, answer.headers["Set-Cookie"] == nil,
            let target = answer.headers["Location"], let address = Self.absolute(target, from: server),
            address.utf8.count <= Self.longest, let query = Self.query(of: address),
            query.values("redirect_uri") == [redirect], query.values("state").count == 1,
            let state = query["state"], !state.isEmpty
        else { return nil }
        self.address = address
        self.state = State(state)
    }

    /// The fields of an address' query; nil where it is none.
    static func query(of address: String) -> FormFields? {
        let query = address.utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        return try? FormURLEncoded.decode(Array(query))
    }

    /// A web address and nothing else: it is handed to a program of the desktop.
    private static func absolute(_ target: String, from server: ServerAddress) -> String? {
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        if target.hasPrefix("/"), !target.hasPrefix("//") { return server.origin + target }
        let place = target.prefix { $0 != "?" && $0 != "#" }
        guard place.contains("://"), (try? ServerAddress(String(place))) != nil else { return nil }
        return target
    }
}
