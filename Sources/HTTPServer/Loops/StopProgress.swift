/// The progress of stopping a loop.
struct StopProgress {
    /// What the loop does until it has stopped.
    enum Phase {
        /// Connections are accepted and requests are answered. Each response ends its connection.
        case serving
        /// New connections are dropped. Those that their clients consider open are accepted until a time.
        case refusing(until: UInt64)
        /// The listening sockets are closed, and requests are completed. Connections without a request are closed at a
        /// time.
        case completing(firstRequestsUntil: UInt64)
    }

    var phase = Phase.serving
    /// The time from which new connections are refused, of the monotonic clock in nanoseconds, like all times here.
    var refusal: UInt64
    /// The time at which the remaining handlers are cancelled and their connections closed.
    var deadline: UInt64

    /// The time at which the loop has to do something next.
    var next: UInt64 {
        switch phase {
        case .serving: min(refusal, deadline)
        case .refusing(let end), .completing(let end): min(end, deadline)
        }
    }
}
