/// What one client was told by the gateway, and therefore may rely on.
struct KnownTokens: Sendable {
    /// Tokens whose whole answer was read and that nobody ended, with the latest expiry that was told.
    var live: [String: String] = [:]
    /// Tokens whose end was confirmed.
    var ended: Set<String> = []
    /// Those of ``ended`` that no restarted gateway was asked about yet.
    var endedLately: Set<String> = []
    /// Tokens about which a request was under way when the connection broke: they may be either.
    var unclear: Set<String> = []
    /// The name of the device that each token was given to.
    var devices: [String: String] = [:]
    /// People whose registration was confirmed.
    var registered: [String] = []
    /// Those of ``registered`` that have not signed in after a crash yet.
    var registeredLately: [String] = []
    /// How many requests were answered.
    var answers = 0
    /// What the gateway answered that it must not.
    var violations: [String] = []

    /// Notes that the end of a token was confirmed.
    mutating func end(_ token: String) {
        live[token] = nil
        unclear.remove(token)
        ended.insert(token)
        endedLately.insert(token)
    }

    /// Notes that everything was ended.
    mutating func endAll() {
        for token in Array(live.keys) + Array(unclear) { end(token) }
    }
}
