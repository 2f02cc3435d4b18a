import Crypto
import Database
import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import PictureLibrary
import SocketIO
import Synchronization

/// The real-time connections of this process.
///
/// When a session ends in any process, its connections get `on_session_delete` and are closed. One query checks the
/// sessions of all connections after each change of sessions. There is no timer and no query for each connection.
///
/// When files of the picture library change, through any process, the connections of those who may see them get events.
/// Events about locked files are never sent.
///
/// Source: IM-6; docs/protocols/immich.md, Real-time connection.
final class ImmichRealTime: Sendable {
    /// The maximum number of connections of one session.
    static let maximumPerSession = 16
    /// The interval at which pings and expiries are checked.
    static let interval = Duration.seconds(1)
    /// The minimum time between two checks of all sessions.
    private static let checkInterval = Duration.milliseconds(100)
    /// The minimum time between two readings of the changes of the library. The changes in between make one reading.
    private static let changeInterval = Duration.seconds(1)
    /// After this many events there is a pause, so that an event loop is never busy with events for long.
    private static let burst = 256
    private static let burstPause = Duration.milliseconds(5)

    private struct Connection {
        let socket: WebSocketConnection
        let session: SessionID?
        var machine: ImmichRealTimeStateMachine

        mutating func perform(
            _ step: (inout ImmichRealTimeStateMachine) -> [ImmichRealTimeStateMachine.Action]
        ) {
            for action in step(&machine) {
                switch action {
                case .send(let text): socket.send(text)
                case .close: socket.close()
                }
            }
        }
    }

    private struct State {
        var connections: [Int: Connection] = [:]
        var lastNumber = 0
        /// The connections of each session.
        var numbers: [SessionID: Set<Int>] = [:]
        /// The sessions that were not checked since they connected.
        var unchecked: Set<SessionID> = []
        /// Whether all sessions must be checked, because some have changed.
        var checksAll = false
        /// The earliest expiry of a connected session.
        var nextExpiry = Date.distantFuture
        /// Starts a check. Nil while ``run(clock:)`` does not run.
        var signal: AsyncStream<Void>.Continuation?
    }

    /// Starts a reading of the changes of the library. One signal waits until ``run(clock:)`` runs.
    private let changeSignal: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)
    private let changes: AssetChangeReader?

    private let sessions: SessionAdministration
    private let issuer: any SessionIssuer
    private let log: Log
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    init(_ services: GatewayServices, _ library: AssetLibrary?) {
        let changeSignal = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        changeSignal.continuation.yield()
        self.changeSignal = changeSignal
        changes = library.map { AssetChangeReader($0.store) }
        sessions = services.sessions
        issuer = services.issuer
        log = services.log
        now = services.now
        issuer.onSessionsChanged { [weak self] in self?.sessionsHaveChanged() }
        library?.store.onChange { changeSignal.continuation.yield() }
    }

    /// The number of open connections.
    var count: Int { state.withLock { $0.connections.count } }

    /// Whether later changes of the library are sent.
    var hasReadChanges: Bool { get async { await changes?.hasStarted ?? true } }

    /// Handles a connection until it ends. Without a session, the client is told that it is not authorized.
    func serve(_ socket: WebSocketConnection, _ session: SessionID?) async {
        guard let number = begin(socket, session) else { return }
        defer { end(number) }
        for await text in socket.messages {
            state.withLock { $0.connections[number]?.perform { $0.receive(text) } }
        }
    }

    /// Checks sessions after changes, sends pings, and sends changes of the library, until the task is cancelled.
    func run(clock: some Clock<Duration>) async {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.signal = signal }
        sessionsHaveChanged()
        await withTaskGroup { group in
            group.addTask {
                for await _ in signals {
                    await self.checkSessions()
                    do { try await clock.sleep(for: Self.checkInterval) } catch { return }
                }
            }
            group.addTask {
                while (try? await clock.sleep(for: Self.interval)) != nil { self.advance() }
            }
            group.addTask {
                for await _ in self.changeSignal.stream {
                    await self.sendChanges(clock)
                    do { try await clock.sleep(for: Self.changeInterval) } catch { return }
                }
            }
        }
    }

    private func begin(_ socket: WebSocketConnection, _ session: SessionID?) -> Int? {
        let id = Base64URL.encode(SecureRandom.bytes(15))
        let machine = ImmichRealTimeStateMachine(id: id, isAuthorized: session != nil)
        return state.withLock { state in
            state.lastNumber += 1
            if let session {
                guard state.numbers[session, default: []].count < Self.maximumPerSession else { return nil }
                state.numbers[session, default: []].insert(state.lastNumber)
                // The session may have ended after the request was authenticated.
                state.unchecked.insert(session)
                state.signal?.yield()
            }
            var connection = Connection(socket: socket, session: session, machine: machine)
            connection.perform { $0.start() }
            state.connections[state.lastNumber] = connection
            return state.lastNumber
        }
    }

    private func end(_ number: Int) {
        state.withLock { state in
            guard let session = state.connections.removeValue(forKey: number)?.session else { return }
            state.numbers[session]?.remove(number)
            if state.numbers[session]?.isEmpty == true { state.numbers[session] = nil }
        }
    }

    private func sessionsHaveChanged() {
        state.withLock { state in
            guard !state.numbers.isEmpty else { return }
            state.checksAll = true
            state.signal?.yield()
        }
    }

    /// Advances all connections by ``interval``.
    private func advance() {
        let now = now()
        let hasExpiry = state.withLock { state in
            // By index, because a copy of the keys would make the first change copy all connections.
            var index = state.connections.values.startIndex
            while index != state.connections.values.endIndex {
                state.connections.values[index].perform { $0.advance(by: Self.interval) }
                state.connections.values.formIndex(after: &index)
            }
            return state.nextExpiry <= now
        }
        if hasExpiry { sessionsHaveChanged() }
    }

    private func checkSessions() async {
        let ids = state.withLock { state in
            defer {
                state.unchecked = []
                state.checksAll = false
            }
            return state.checksAll ? Set(state.numbers.keys) : state.unchecked
        }
        guard !ids.isEmpty else { return }
        do {
            // A use in the last second may extend a session, but is not yet written.
            try await issuer.flush()
            apply(try await sessions.live(of: ids), to: ids)
        } catch {
            state.withLock { state in
                // Tried again at the next change, and at the latest with the next tick.
                state.unchecked.formUnion(ids)
                state.nextExpiry = .distantPast
            }
            if !(error is CancellationError) { log.warning("Could not check the sessions of real-time connections.") }
        }
    }

    /// Ends the connections of the sessions that are no longer live.
    private func apply(_ live: [SessionID: LiveSession], to ids: Set<SessionID>) {
        state.withLock { state in
            if ids.count >= state.numbers.count { state.nextExpiry = .distantFuture }
            state.nextExpiry = min(state.nextExpiry, live.values.map(\.expires).min() ?? .distantFuture)
            for id in ids where live[id] == nil {
                let event = SocketIOPacket(
                    event: "on_session_delete", [.string(id.uuid.uuidString.lowercased())])
                for number in state.numbers[id] ?? [] {
                    state.connections[number]?.perform { $0.end(with: event) }
                }
            }
        }
    }

    /// Sends the changes of the library since the last call to the people who may see them.
    private func sendChanges(_ clock: some Clock<Duration>) async {
        guard let changes else { return }
        do {
            let found = try await changes.next()
            if found.isIncomplete { return try await restart(clock, found, changes) }
            let ids = state.withLock { Set($0.numbers.keys) }
            if !found.list.isEmpty, !ids.isEmpty { try await send(found, to: ids, clock) }
            await changes.confirm(found)
        } catch {
            guard !(error is CancellationError) else { return }
            log.warning("Could not send changes of the picture library; trying again.")
            changeSignal.continuation.yield()
        }
    }

    private func send(_ changes: AssetChanges, to ids: Set<SessionID>, _ clock: some Clock<Duration>) async throws {
        var events = ImmichAssetEvents(changes)
        var sentCount = 0
        // The people are read again, because an address, and with it the access to a folder, may have changed.
        for (id, session) in try await sessions.live(of: ids) where !session.person.mustChangePassword {
            let texts = events.texts(for: session.person)
            sentCount += send(texts, to: id, thenCloses: events.isIncomplete(for: session.person))
            guard sentCount >= Self.burst else { continue }
            sentCount = 0
            try await clock.sleep(for: Self.burstPause)
        }
    }

    /// Sends events to the connections of a session. Returns their number.
    private func send(_ texts: [String], to session: SessionID, thenCloses: Bool) -> Int {
        state.withLock { state in
            let numbers = state.numbers[session] ?? []
            for number in numbers {
                for text in texts { state.connections[number]?.perform { $0.send(text) } }
                if thenCloses { state.connections[number]?.perform { $0.close() } }
            }
            return numbers.count * texts.count
        }
    }

    /// Closes all connections without an event, so that the clients connect again and request the current state.
    private func restart(
        _ clock: some Clock<Duration>, _ changes: AssetChanges, _ reader: AssetChangeReader
    ) async throws {
        await reader.confirm(changes)
        let numbers = state.withLock { Array($0.connections.keys) }
        for (index, number) in numbers.enumerated() {
            state.withLock { $0.connections[number]?.perform { $0.close() } }
            if index % Self.burst == Self.burst - 1 { try await clock.sleep(for: Self.burstPause) }
        }
    }
}
