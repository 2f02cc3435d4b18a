import HTTPMessages
import ServerMessages
import SocketIO

/// The state of one real-time connection, from the Engine.IO handshake to its end. Performs no I/O and has no clock.
///
/// Source: the Engine.IO protocol, revision 4; the Socket.IO protocol, revision 5; docs/protocols/immich.md, Real-time
/// connection.
struct ImmichRealTimeStateMachine {
    /// What the caller does, in order.
    enum Action: Equatable {
        /// Sends a text message.
        case send(String)
        /// Ends the connection.
        case close
    }

    private enum State {
        /// The state until the client connects to the namespace.
        case open
        /// The state in which events are sent.
        case connected
        /// The state after the end.
        case closed
    }

    /// The time between two pings, and the time within which a client must connect to the namespace.
    static let pingInterval = Duration.seconds(25)
    /// The time within which a ping must be answered.
    static let pingTimeout = Duration.seconds(20)
    /// The maximum number of packets of a client between two pings.
    static let maximumPackets = 64

    private let id: String
    private let isAuthorized: Bool
    private var state = State.open
    private var sincePing = Duration.zero
    private var isWaitingForPong = false
    private var packetCount = 0

    /// Creates the state of a connection. `id` names it to the client and is not a secret. A connection that is not
    /// authorized gets only the event `error`.
    init(id: String, isAuthorized: Bool) {
        self.id = id
        self.isAuthorized = isAuthorized
    }

    /// Returns the handshake.
    func start() -> [Action] {
        let handshake = EngineIOHandshake(
            id: id, pingInterval: Self.pingInterval, pingTimeout: Self.pingTimeout, maximumPayload: 1_000_000)
        return [.send(EngineIOPacket.open(handshake).text)]
    }

    /// Handles a message of the client. Events of the client are ignored.
    mutating func receive(_ text: String) -> [Action] {
        packetCount += 1
        guard state != .closed, packetCount <= Self.maximumPackets, let packet = EngineIOPacket(text) else {
            return close()
        }
        switch packet {
        case .pong:
            isWaitingForPong = false
            return []
        case .message(let text):
            guard let packet = SocketIOPacket(text) else { return close() }
            return receive(packet)
        case .close, .open: return close()
        case .ping, .noop: return []
        }
    }

    private mutating func receive(_ packet: SocketIOPacket) -> [Action] {
        switch packet.kind {
        case .connect where packet.namespace != "/":
            let refusal = SocketIOPacket(
                .connectError, namespace: packet.namespace, payload: ["message": "Invalid namespace"])
            return [Self.send(refusal)]
        case .connect where state == .open:
            state = .connected
            let connected = Self.send(SocketIOPacket(.connect, payload: ["sid": .string(id)]))
            guard isAuthorized else {
                return [connected] + end(with: SocketIOPacket(event: "error", ["unauthorized"]))
            }
            return [connected, Self.send(SocketIOPacket(event: "on_server_version", [Self.version]))]
        case .disconnect where packet.namespace == "/": return close()
        case .connect, .disconnect, .event, .acknowledgment, .connectError: return []
        }
    }

    /// Handles the passing of time: sends a ping when it is due, and ends a connection whose client does not answer.
    mutating func advance(by time: Duration) -> [Action] {
        guard state != .closed else { return [] }
        sincePing += time
        if isWaitingForPong, sincePing >= Self.pingTimeout { return close() }
        guard sincePing >= Self.pingInterval else { return [] }
        guard state == .connected else { return close() }
        sincePing = .zero
        packetCount = 0
        isWaitingForPong = true
        return [.send(EngineIOPacket.ping("").text)]
    }

    /// Ends the connection after a last event, so that the client does not connect again by itself.
    mutating func end(with event: SocketIOPacket) -> [Action] {
        guard state == .connected else { return close() }
        return [Self.send(event), Self.send(SocketIOPacket(.disconnect))] + close()
    }

    /// Sends the text of an event if the client is connected to the namespace.
    func send(_ text: String) -> [Action] {
        state == .connected ? [.send(text)] : []
    }

    /// Ends the connection. The client may connect again.
    mutating func close() -> [Action] {
        guard state != .closed else { return [] }
        state = .closed
        return [.close]
    }

    private static func send(_ packet: SocketIOPacket) -> Action {
        .send(EngineIOPacket.message(packet.text).text)
    }

    private static var version: JSONValue {
        let version = ImmichVersion.implemented
        return [
            "major": .number(Double(version.major)), "minor": .number(Double(version.minor)),
            "patch": .number(Double(version.patch)), "prerelease": .null,
        ]
    }
}
