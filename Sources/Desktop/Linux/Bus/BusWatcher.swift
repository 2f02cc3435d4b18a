import CLibrary
import Primitives

/// A thread that receives the signals of a message bus until it is stopped. When the connection is lost, it connects
/// again after a pause.
final class BusWatcher: Sendable {
    /// Receives what the thread finds out. All calls are on its thread.
    struct Handler: Sendable {
        /// The bus accepted the rules.
        var connected: @Sendable (BusConnection) -> Void = { _ in }
        /// Signals have arrived.
        var received: @Sendable ([BusMessage], BusConnection) -> Void
        /// There is no connection, or it was lost.
        var disconnected: @Sendable () -> Void = {}
    }

    /// The pause before reconnecting to a bus, in milliseconds.
    private static let pause: Int32 = 30_000

    private let address: BusAddress
    private let rules: [String]
    private let handler: Handler
    private let pipe: StopPipe

    /// Creates a watcher. Returns nil when the process has too many open files.
    init?(_ address: BusAddress, rules: [String], handler: Handler) {
        guard let pipe = StopPipe() else { return nil }
        self.pipe = pipe
        self.address = address
        self.rules = rules
        self.handler = handler
    }

    /// Starts the thread.
    func start() { SystemThread.detachOrEnd { self.run() } }

    /// Ends the thread.
    func stop() { pipe.stop() }

    private func run() {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, nil)
        while !pipe.isStopped {
            if let connection = BusConnection(address) { watch(connection) }
            handler.disconnected()
            var waiting = pollfd(fd: pipe.reader, events: Int16(POLLIN), revents: 0)
            _ = poll(&waiting, 1, Self.pause)
        }
    }

    /// Passes on signals until the connection is lost or the watcher stops.
    private func watch(_ connection: BusConnection) {
        // The subscription comes before the first query, so that no change is missed in between.
        guard rules.allSatisfy(connection.listen) else { return }
        handler.connected(connection)
        while !pipe.isStopped {
            var signals: [BusMessage] = []
            do {
                while let signal = try connection.nextSignal() { signals.append(signal) }
            } catch {
                return
            }
            if signals.isEmpty { connection.wait(or: pipe.reader) } else { handler.received(signals, connection) }
        }
    }
}
