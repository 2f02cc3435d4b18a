package import HTTPMessages
import Primitives

/// A packet of Socket.IO in an ``EngineIOPacket/message(_:)``.
///
/// Source: the Socket.IO protocol, revision 5.
package struct SocketIOPacket: Equatable, Sendable {
    /// The types of packets.
    package enum Kind: UInt8, Sendable {
        /// Requests or confirms a connection to the namespace.
        case connect = 0
        /// Ends the connection to the namespace.
        case disconnect = 1
        /// An event: an array of its name and its arguments.
        case event = 2
        /// The answer to an event with an ``SocketIOPacket/acknowledgmentID``.
        case acknowledgment = 3
        /// The server refuses the connection to the namespace.
        case connectError = 4
    }

    /// The type of the packet.
    package var kind: Kind
    /// The namespace. `/` is the usual one.
    package var namespace: String
    /// The number by which the sender recognizes the answer.
    package var acknowledgmentID: Int?
    /// The content. Nil when there is none.
    package var payload: JSONValue?

    package init(_ kind: Kind, namespace: String = "/", acknowledgmentID: Int? = nil, payload: JSONValue? = nil) {
        self.kind = kind
        self.namespace = namespace
        self.acknowledgmentID = acknowledgmentID
        self.payload = payload
    }

    /// Creates an event.
    package init(event name: String, _ arguments: [JSONValue] = []) {
        self.init(.event, payload: .array([.string(name)] + arguments))
    }

    /// The name and the arguments of an event. Nil for other packets, and for an event without a name.
    package var event: (name: String, arguments: [JSONValue])? {
        guard kind == .event, let values = payload?.array, let name = values.first?.string else { return nil }
        return (name, Array(values.dropFirst()))
    }

    /// Parses a packet. Returns nil for text that is no packet, and for packets with binary attachments.
    package init?(_ text: String) {
        var rest = text[...]
        guard let digit = rest.utf8.first, digit >= UInt8(ascii: "0"),
            let kind = Kind(rawValue: digit - UInt8(ascii: "0"))
        else { return nil }
        rest = Substring(rest.utf8.dropFirst())
        self.init(kind)
        if rest.utf8.first == UInt8(ascii: "/") {
            let name = rest.prefix(beforeBytes: ",")
            namespace = String(name)
            rest = Substring(rest.utf8.dropFirst(name.utf8.count + 1))
        }
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        if !digits.isEmpty {
            guard let number = Int(digits) else { return nil }
            acknowledgmentID = number
            rest = rest.dropFirst(digits.count)
        }
        guard !rest.isEmpty else { return }
        guard let value = try? JSONValue(parsing: Array(rest.utf8)) else { return nil }
        // A number would continue the digits of the acknowledgment.
        switch value {
        case .array, .object, .string: payload = value
        default: return nil
        }
    }

    /// The text of the packet.
    package var text: String {
        var text = String(kind.rawValue)
        if namespace != "/" { text += namespace + "," }
        if let acknowledgmentID { text += String(acknowledgmentID) }
        if let payload { text += String(decoding: payload.encoded(), as: UTF8.self) }
        return text
    }
}
