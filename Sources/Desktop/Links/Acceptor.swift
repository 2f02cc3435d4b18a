import CLibrary
import Primitives
import Synchronization

/// Accepts connections on a listening socket and serves each on its own thread. Browsers open some connections in
/// advance without sending anything on them.
final class Acceptor: Sendable {
    /// The maximum number of concurrent connections. Further connections are closed unread.
    private static let limit = 16

    private struct State {
        var isStopped = false
        var connections = 0
    }

    private let state = Mutex(State())
    private let descriptor: Int32

    /// Starts accepting. The acceptor takes ownership of `descriptor`.
    init(_ descriptor: Int32, serve: @escaping @Sendable (Int32) -> Void) {
        self.descriptor = descriptor
        SystemThread.detachOrEnd { [self] in
            while !state.withLock(\.isStopped) {
                let connection = nextConnection(descriptor)
                if connection >= 0 {
                    begin(connection, serve)
                } else if errno == EMFILE || errno == ENFILE || errno == ENOMEM {
                    poll(nil, 0, 50)
                } else if errno != EINTR && errno != ECONNABORTED {
                    break
                }
            }
            // The accepting thread closes the descriptor. If another thread did, the number could be reused before the
            // next `accept`.
            state.withLock { state in
                state.isStopped = true
                close(descriptor)
            }
        }
    }

    /// Stops accepting connections.
    func stop() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }

    private func begin(_ connection: Int32, _ serve: @escaping @Sendable (Int32) -> Void) {
        let isTaken = state.withLock { state in
            guard state.connections < Self.limit else { return false }
            state.connections += 1
            return true
        }
        guard isTaken else {
            close(connection)
            return
        }
        LocalSocket.bound(connection, seconds: 10)
        SystemThread.detachOrEnd { [self] in
            serve(connection)
            close(connection)
            state.withLock { $0.connections -= 1 }
        }
    }
}

private func nextConnection(_ descriptor: Int32) -> Int32 {
    let connection = accept(descriptor, nil, nil)
    // A browser that is started at this moment may inherit the descriptor for a while, which does no harm.
    if connection >= 0 { _ = fcntl(connection, F_SETFD, FD_CLOEXEC) }
    return connection
}
