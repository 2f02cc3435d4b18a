import Desktop
import HTTPClient
import Synchronization
import WebSockets

/// Performs the actions of a ``RealTimeStateMachine`` for one reader of a session's updates.
actor RealTimeConnection {
    typealias Updates = AsyncThrowingStream<RealTimeUpdate, any Error>

    private let session: Session
    private let dialect: any RealTimeDialect
    private let network: AsyncStream<NetworkState>
    private let updates: Updates.Continuation
    private weak var opened: OpenedRealTime?
    /// Called once, with whether the first attempt connected.
    private var onFirst: (@Sendable (Bool) -> Void)?
    private var machine: RealTimeStateMachine
    private var socket: WebSocketConnection?
    private var reader: Task<Void, Never>?
    private var timer: (deadline: ContinuousClock.Instant, task: Task<Void, Never>)?
    private var watchers: [Task<Void, Never>] = []
    /// Waits until the device is unlocked.
    private var unlocking: Task<Void, Never>?

    init(
        _ session: Session, _ dialect: any RealTimeDialect, network: AsyncStream<NetworkState>,
        updates: Updates.Continuation, of opened: OpenedRealTime, random: @escaping @Sendable () -> Double,
        onFirst: (@Sendable (Bool) -> Void)? = nil
    ) {
        self.session = session
        self.dialect = dialect
        self.network = network
        self.updates = updates
        self.opened = opened
        self.onFirst = onFirst
        machine = RealTimeStateMachine(random: random) { dialect.event($0, $1) }
    }

    /// Starts connecting. ``stop()`` or the end of the session ends it.
    func start() {
        guard watchers.isEmpty, machine.state == .idle else { return }
        watchers = [
            Task { await self.watchState() }, Task { await self.watchAccount() },
            Task {
                for await state in network {
                    self.perform { $0.networkChanged(isConnected: state.isConnected) }
                }
            },
        ]
        perform { $0.start() }
    }

    /// Closes the connection.
    func stop() { finish(nil) }

    /// Ends when this program signs out, or learns that the session has ended.
    private func watchState() async {
        // Another program may have signed in again since this session ended. Reading the token updates the state.
        _ = try? await session.present()
        for await state in session.stateUpdates {
            switch state {
            case .signedOut(let reason): return finish(await session.signedOutError(reason))
            case .signingOut: return finish(await session.signedOutError(.notSignedIn))
            case .restoring, .signedIn, .unavailable: break
            }
        }
        if !Task.isCancelled { finish(nil) }
    }

    /// Ends when another program signs out.
    private func watchAccount() async {
        let id = session.accountID
        let states = session.accounts.watch.stream { all in all.contains { $0.id == id && $0.isSignedIn } }
        for await isSignedIn in states where !isSignedIn {
            // The reason is in the database.
            do { _ = try await session.validToken() } catch { return finish(error) }
        }
    }

    private func connect(_ attempt: Int) async {
        do {
            switch try await session.openWebSocket(dialect.realTime) {
            case .refused(let response) where response.status == .unauthorized:
                perform { $0.refused(in: attempt) }
            case .refused(let response):
                let reason = session.refusedRealTime(response).message
                perform { $0.lost(reason, in: attempt, at: .now) }
            case .connected(let socket):
                try await read(socket, in: attempt)
                perform { $0.lost("The server closed the connection.", in: attempt, at: .now) }
            }
        } catch let error as LatchError where !error.code.leavesSessionUnknown && error.code != .pinRequired {
            finish(error)
        } catch {
            let error = LatchError(error, asking: session.server)
            perform { $0.lost(error.message, in: attempt, at: .now) }
            connectAfterUnlocking(error)
        }
    }

    /// Connects when the lock of the device, which is the reason of a failure, is unlocked.
    private func connectAfterUnlocking(_ error: LatchError) {
        guard error.code == .pinRequired, unlocking == nil, machine.state != .ended else { return }
        let lock = DeviceLock(accounts: session.accounts)
        unlocking = Task {
            for await state in lock.stateUpdates where state != .locked { break }
            self.unlocking = nil
            self.perform { $0.unlocked() }
        }
    }

    private func read(_ socket: WebSocketConnection, in attempt: Int) async throws {
        // The attempt may have been given up while the connection was opened.
        guard attempt == machine.attempt else { return socket.close() }
        self.socket = socket
        perform { $0.opened(in: attempt, at: .now) }
        while case .text(let text)? = try await socket.next() {
            for reply in perform({ $0.received(text, in: attempt, at: .now) }) { try await socket.send(reply) }
        }
    }

    private func check(_ attempt: Int) async {
        do {
            _ = try await session.identity()
            perform { $0.checked(.valid, in: attempt, at: .now) }
        } catch let error as LatchError where [.signedOut, .sessionEnded].contains(error.code) {
            finish(error)
        } catch {
            let error = LatchError(error, asking: session.server)
            perform { $0.checked(.unanswered(error.message), in: attempt, at: .now) }
            connectAfterUnlocking(error)
        }
    }

    /// Performs the actions of a change. Returns the messages to send.
    @discardableResult
    private func perform(_ change: (inout RealTimeStateMachine) -> [RealTimeStateMachine.Action]) -> [String] {
        var messages: [String] = []
        for action in change(&machine) {
            switch action {
            case .connect(let attempt): reader = Task { await self.connect(attempt) }
            case .send(let text): messages.append(text)
            case .disconnect: disconnect()
            case .checkSession(let attempt): Task { await self.check(attempt) }
            case .report(let update):
                let isExpected = opened?.record() ?? true
                if isExpected { updates.yield(update) }
                reportFirst(update == .connected)
                // A later reader opens a connection of its own, and searches for what has changed.
                if !isExpected { finish(nil) }
            }
        }
        setTimer()
        return messages
    }

    private func disconnect() {
        reader?.cancel()
        socket?.close()
        (reader, socket) = (nil, nil)
    }

    private func setTimer() {
        guard timer?.deadline != machine.deadline else { return }
        timer?.task.cancel()
        timer = machine.deadline.map { deadline in
            (
                deadline,
                Task {
                    guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return }
                    self.perform { $0.timePassed(at: .now) }
                }
            )
        }
    }

    private func finish(_ error: (any Error)?) {
        perform { $0.end() }
        for watcher in watchers { watcher.cancel() }
        unlocking?.cancel()
        (watchers, unlocking) = ([], nil)
        updates.finish(throwing: error)
        session.openedRealTime.withLock { if $0 === opened { $0 = nil } }
        reportFirst(false)
    }

    private func reportFirst(_ isConnected: Bool) {
        onFirst?(isConnected)
        onFirst = nil
    }
}
