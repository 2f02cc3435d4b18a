import HTTPMessages
import SocketIO

/// The state machine of a real-time connection. It uses no tasks, clocks or sockets.
///
/// Every method that reports an asynchronous result has the number of the attempt to which it belongs. A result of an
/// earlier attempt is ignored. Callers call ``timePassed(at:)`` at the ``deadline``.
///
/// Source: the Engine.IO protocol, revision 4; the Socket.IO protocol, revision 5; docs/protocols/immich.md, Real-time connection.
struct RealTimeStateMachine {
    enum State: Equatable {
        /// The connection was not started yet.
        case idle
        /// There is no network.
        case offline
        /// A pause after a failure.
        case waiting
        /// The WebSocket connection is being opened.
        case connecting
        /// The first packet of Engine.IO is awaited.
        case opening
        /// The confirmation of Socket.IO is awaited.
        case joining
        /// Events arrive.
        case connected
        /// The server refused the connection, and is asked whether the session has ended.
        case checking
        /// The session or the connection has ended.
        case ended
    }

    enum Action: Equatable {
        case connect(attempt: Int)
        case send(String)
        case disconnect
        /// Ask the server who is signed in, then call ``checked(_:in:at:)``.
        case checkSession(attempt: Int)
        case report(RealTimeUpdate)
    }

    /// The result of a check of the session. A session that has ended ends the connection with ``end()``.
    enum Check: Equatable {
        case valid
        case unanswered(String)
    }

    typealias Instant = ContinuousClock.Instant

    /// The time for the first packets.
    static let handshakeTimeout = Duration.seconds(20)
    /// The time after which a connection counts as stable.
    static let stableTime = Duration.seconds(60)
    /// The longest pause before the random factor, in seconds. Pauses are from 1 second to 5 minutes.
    private static let longestPause = 150.0

    private(set) var state = State.idle
    private(set) var attempt = 0
    /// The time at which ``timePassed(at:)`` must be called. Nil for none.
    private(set) var deadline: Instant?
    private var failures = 0
    private var connectedAt: Instant?
    /// The longest time without a ping of the server.
    private var silence = Self.handshakeTimeout
    /// Whether an event of this connection may still cause a check.
    private var isCheckDue = true
    /// Whether a check of this attempt is in progress.
    private var isChecking = false
    private var isLossReported = false
    private let event: @Sendable (String, [JSONValue]) -> RealTimeEvent
    private let random: @Sendable () -> Double

    /// Creates the state machine.
    ///
    /// - Parameters:
    ///   - random: Returns a random number from 0 to 1.
    ///   - event: Reads an event of the server.
    init(
        random: @escaping @Sendable () -> Double, event: @escaping @Sendable (String, [JSONValue]) -> RealTimeEvent
    ) {
        self.random = random
        self.event = event
    }

    mutating func start() -> [Action] { state == .idle ? connect() : [] }

    /// Records that the WebSocket connection is open.
    mutating func opened(in attempt: Int, at now: Instant) -> [Action] {
        guard attempt == self.attempt, state == .connecting else { return [] }
        state = .opening
        deadline = now + Self.handshakeTimeout
        return []
    }

    /// Records a text message of the server.
    mutating func received(_ text: String, in attempt: Int, at now: Instant) -> [Action] {
        guard attempt == self.attempt, [.opening, .joining, .connected].contains(state) else { return [] }
        switch EngineIOPacket(text) {
        case .open(let handshake) where state == .opening:
            state = .joining
            silence = handshake.pingInterval + handshake.pingTimeout
            deadline = now + silence
            return [.send(EngineIOPacket.message(SocketIOPacket(.connect).text).text)]
        case .ping(let text) where state != .opening:
            deadline = now + silence
            return [.send(EngineIOPacket.pong(text).text)]
        case .message(let text) where state != .opening: return receivedPacket(text, at: now)
        case .pong, .noop: return []
        case .close: return lose("The server closed the connection.", at: now)
        default: return lose("The server sent a message that is not of Socket.IO.", at: now)
        }
    }

    private mutating func receivedPacket(_ text: String, at now: Instant) -> [Action] {
        // A packet with binary attachments is not for this client.
        guard let packet = SocketIOPacket(text), packet.namespace == "/" else { return [] }
        switch packet.kind {
        case .connect where state == .joining:
            state = .connected
            (connectedAt, isLossReported) = (now, false)
            return [.report(.connected)]
        case .connectError: return refusal(packet.payload?["message"]?.string, at: now)
        case .disconnect: return lose("The server closed the connection.", at: now)
        case .event:
            guard let (name, arguments) = packet.event else { return [] }
            if name == "error" { return refusal(arguments.first?.string, at: now) }
            return state == .connected ? received(event(name, arguments)) : []
        default: return []
        }
    }

    private mutating func received(_ event: RealTimeEvent) -> [Action] {
        guard case .sessionDeleted = event, isCheckDue else { return [.report(.event(event))] }
        (isCheckDue, isChecking) = (false, true)
        return [.report(.event(event)), .checkSession(attempt: attempt)]
    }

    private mutating func refusal(_ message: String?, at now: Instant) -> [Action] {
        guard message?.lowercased() == "unauthorized" else {
            return lose("The server refused the connection.", at: now)
        }
        return refused(in: attempt)
    }

    /// Records that the server does not accept the token for this connection.
    mutating func refused(in attempt: Int) -> [Action] {
        guard attempt == self.attempt, [.connecting, .joining, .connected].contains(state) else { return [] }
        (state, deadline) = (.checking, nil)
        defer { isChecking = true }
        // The result of a check that is in progress counts for both.
        return isChecking ? [.disconnect] : [.disconnect, .checkSession(attempt: attempt)]
    }

    /// Records that the server was asked whether the session is valid.
    mutating func checked(_ result: Check, in attempt: Int, at now: Instant) -> [Action] {
        guard attempt == self.attempt else { return [] }
        isChecking = false
        switch (state, result) {
        case (.checking, .valid): return lose("The server refused the connection.", at: now)
        case (.checking, .unanswered(let reason)), (.connected, .unanswered(let reason)):
            return lose(reason, at: now)
        default: return []
        }
    }

    /// Records that an attempt failed or its connection ended.
    mutating func lost(_ reason: String, in attempt: Int, at now: Instant) -> [Action] {
        guard attempt == self.attempt, [.connecting, .opening, .joining, .connected].contains(state) else { return [] }
        return lose(reason, at: now)
    }

    /// Acts when the ``deadline`` has passed.
    mutating func timePassed(at now: Instant) -> [Action] {
        guard let deadline, deadline <= now else { return [] }
        return state == .waiting ? connect() : lose("The server no longer sends its heartbeat.", at: now)
    }

    /// Records whether there is a network.
    mutating func networkChanged(isConnected: Bool) -> [Action] {
        switch (state, isConnected) {
        case (.offline, true):
            failures = 0
            return connect()
        case (.ended, _), (_, true), (.offline, false): return []
        case (_, false):
            (state, deadline) = (.offline, nil)
            attempt += 1
            return [.disconnect] + report("There is no network.")
        }
    }

    /// Records that the token can be read again, so that a pause is not needed any more.
    mutating func unlocked() -> [Action] {
        guard state == .waiting else { return [] }
        failures = 0
        return connect()
    }

    /// Ends the connection for good.
    mutating func end() -> [Action] {
        guard state != .ended else { return [] }
        (state, deadline) = (.ended, nil)
        attempt += 1
        return [.disconnect]
    }

    private mutating func connect() -> [Action] {
        (state, deadline, connectedAt) = (.connecting, nil, nil)
        (isCheckDue, isChecking) = (true, false)
        attempt += 1
        return [.connect(attempt: attempt)]
    }

    private mutating func lose(_ reason: String, at now: Instant) -> [Action] {
        if let connectedAt, connectedAt + Self.stableTime <= now { failures = 0 }
        let pause = (0..<min(failures, 16)).reduce(1.0) { pause, _ in min(pause * 2, Self.longestPause) }
        failures += 1
        (state, connectedAt, deadline) = (.waiting, nil, now + .seconds(pause * (1 + random())))
        return [.disconnect] + report(reason)
    }

    /// Reports a loss once, and not for every attempt that fails.
    private mutating func report(_ reason: String) -> [Action] {
        defer { isLossReported = true }
        return isLossReported ? [] : [.report(.disconnected(reason))]
    }
}
