internal import Synchronization

/// Reports when the session is locked and when the machine is suspended or resumed, from logind.
///
/// Without logind nothing else is reported.
///
/// Source: org.freedesktop.login1(5), `Lock` of sessions and `PrepareForSleep` of the manager.
package struct SessionLockWatch: Sendable {
    private static let service = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let session = "org.freedesktop.login1.Session"

    private let address: BusAddress
    private let sessionID: String?

    /// Creates a watch.
    ///
    /// - Parameter environment: The variables that locate the services of the system, and `XDG_SESSION_ID`, which names
    ///   the session. Without it, the lock of any session counts.
    package init(_ environment: [String: String]) {
        address = .system(environment)
        sessionID = environment["XDG_SESSION_ID"]
    }

    /// An event.
    package enum Event: Sendable {
        /// The watch has begun. Later events are not missed.
        case began
        /// The session was locked.
        case sessionLocked
        /// The machine is about to be suspended.
        case suspending
        /// The machine was resumed.
        case resumed
        /// There is no connection to the bus, or it was lost. The watch begins again when there is one.
        case ended
    }

    /// The events, beginning with ``Event/began`` or ``Event/ended``. The watch ends with the stream.
    package var events: AsyncStream<Event> {
        AsyncStream { continuation in
            let session = Mutex<String?>(nil)
            let rules = [
                "type='signal',sender='\(Self.service)',interface='\(Self.manager)',member='PrepareForSleep'",
                "type='signal',sender='\(Self.service)',interface='\(Self.session)',member='Lock'",
            ]
            let handler = BusWatcher.Handler(
                connected: { connection in
                    let path = sessionPath(connection)
                    session.withLock { $0 = path }
                    continuation.yield(.began)
                },
                received: { signals, _ in
                    for signal in signals {
                        if signal.isSignal(Self.manager, "PrepareForSleep"), let isBefore = signal.boolean() {
                            continuation.yield(isBefore ? .suspending : .resumed)
                        }
                        if signal.isSignal(Self.session, "Lock"),
                            session.withLock({ $0 == nil || $0 == signal.object })
                        {
                            continuation.yield(.sessionLocked)
                        }
                    }
                },
                disconnected: { continuation.yield(.ended) })
            guard let watcher = BusWatcher(address, rules: rules, handler: handler) else {
                continuation.finish()
                return
            }
            continuation.onTermination = { _ in watcher.stop() }
            watcher.start()
        }
    }

    /// The object path of the session. Nil when it is not known.
    private func sessionPath(_ connection: BusConnection) -> String? {
        guard let sessionID else { return nil }
        let method = BusMethod(service: Self.service, path: Self.path, interface: Self.manager, name: "GetSession")
        return connection.call(method) { $0.append(sessionID) }?.objectPath()
    }
}
