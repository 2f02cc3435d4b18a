import Primitives
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Takes connections of a listening socket, each on a thread of its own: a browser opens some in advance and says nothing
/// on them.
final class Acceptor: Sendable {
    /// More at once are closed unread.
    private static let limit = 16

    private struct State {
        var isStopped = false
        var connections = 0
    }

    private let state = Mutex(State())
    private let descriptor: Int32

    /// Begins; `descriptor` is the acceptor's from now on.
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
            // Closed by the thread that accepts: a number closed elsewhere could be another's before it looks again.
            state.withLock { state in
                state.isStopped = true
                close(descriptor)
            }
        }
    }

    /// Takes no more.
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
    // A browser that this program starts at the same moment may hold it for a while, which hurts nobody.
    if connection >= 0 { _ = fcntl(connection, F_SETFD, FD_CLOEXEC) }
    return connection
}
