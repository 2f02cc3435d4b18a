import HTTPMessages

/// A packet of Engine.IO, the transport below Socket.IO, as one WebSocket text message.
///
/// Source: the Engine.IO protocol, revision 4.
package enum EngineIOPacket: Equatable, Sendable {
    /// The server's first packet.
    case open(EngineIOHandshake)
    /// The peer closes the connection.
    case close
    /// The server's heartbeat, which the client answers with ``pong(_:)`` and the same text.
    case ping(String)
    /// The answer to ``ping(_:)``.
    case pong(String)
    /// A packet of Socket.IO.
    case message(String)
    /// Has no meaning.
    case noop

    /// Parses a text message. Returns nil for text that is no packet, and for a change of transport, which a connection
    /// that begins with WebSocket does not have.
    package init?(_ text: String) {
        let rest = String(text.dropFirst())
        switch text.unicodeScalars.first {
        case "0":
            guard let handshake = EngineIOHandshake(rest) else { return nil }
            self = .open(handshake)
        case "1": self = .close
        case "2": self = .ping(rest)
        case "3": self = .pong(rest)
        case "4": self = .message(rest)
        case "6": self = .noop
        default: return nil
        }
    }

    /// The text of the packet.
    package var text: String {
        switch self {
        case .open(let handshake): "0" + handshake.text
        case .close: "1"
        case .ping(let text): "2" + text
        case .pong(let text): "3" + text
        case .message(let text): "4" + text
        case .noop: "6"
        }
    }
}
