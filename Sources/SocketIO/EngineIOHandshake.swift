import HTTPMessages
import Primitives

/// The content of a server's first packet.
///
/// Source: the Engine.IO protocol, revision 4, "Handshake".
package struct EngineIOHandshake: Equatable, Sendable {
    /// The name of the connection. It is not a secret.
    package var id: String
    /// The time between two pings of the server.
    package var pingInterval: Duration
    /// The time within which a ping is answered.
    package var pingTimeout: Duration
    /// The maximum size of a message, in bytes.
    package var maximumPayload: Int

    package init(id: String, pingInterval: Duration, pingTimeout: Duration, maximumPayload: Int) {
        self.id = id
        self.pingInterval = pingInterval
        self.pingTimeout = pingTimeout
        self.maximumPayload = maximumPayload
    }

    /// Parses the JSON text. Returns nil when a member is missing or a time is not between 1 ms and a day.
    package init?(_ text: String) {
        guard let value = try? JSONValue(parsing: Array(text.utf8)), let id = value["sid"]?.string,
            let interval = value["pingInterval"]?.integer, let timeout = value["pingTimeout"]?.integer,
            (1...86_400_000).contains(interval), (1...86_400_000).contains(timeout)
        else { return nil }
        self.init(
            id: id, pingInterval: .milliseconds(interval), pingTimeout: .milliseconds(timeout),
            maximumPayload: value["maxPayload"]?.integer ?? 1_000_000)
    }

    /// The JSON text.
    var text: String {
        let value: JSONValue = [
            "sid": .string(id), "upgrades": [],
            "pingInterval": .number(JSONNumber(pingInterval.wholeMilliseconds)),
            "pingTimeout": .number(JSONNumber(pingTimeout.wholeMilliseconds)),
            "maxPayload": .number(JSONNumber(maximumPayload)),
        ]
        return String(decoding: value.encoded(), as: UTF8.self)
    }
}
