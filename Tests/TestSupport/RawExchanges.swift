import Glibc

/// Many exchanges of bytes with one server, each on a connection of its own, some at a time.
public enum RawExchanges {
    /// How a client behaves once its bytes are sent.
    public enum Ending: Sendable {
        /// It waits for the server to close.
        case waiting
        /// It says that no more bytes follow, and waits for the server to close.
        case finished
    }

    private struct Slot {
        let index: Int
        let socket: RawSocket
        var answer: [UInt8] = []
    }

    /// Sends each of `requests` and gathers what comes back until the server closes or resets the connection.
    ///
    /// - Parameters:
    ///   - requests: The bytes of each connection; small enough for the system to take them in one piece.
    ///   - port: A port of 127.0.0.1.
    ///   - ending: What each client does after its bytes.
    ///   - width: How many connections are open at a time.
    /// - Returns: The bytes that came back, in the order of `requests`.
    /// - Throws: ``RawSocket/Failure`` when no connection says anything for a minute.
    public static func run(
        _ requests: [[UInt8]], port: Int, ending: Ending = .waiting, width: Int = 64
    ) throws -> [[UInt8]] {
        try run(requests, ending: ending, width: width) { try RawSocket(port: port) }
    }

    /// As ``run(_:port:ending:width:)``, with connections that `connect` makes.
    public static func run(
        _ requests: [[UInt8]], ending: Ending = .waiting, width: Int = 64, connect: () throws -> RawSocket
    ) throws -> [[UInt8]] {
        var answers = [[UInt8]](repeating: [], count: requests.count)
        var slots: [Slot] = []
        var next = 0
        while next < requests.count || !slots.isEmpty {
            while next < requests.count, slots.count < width {
                let socket = try connect()
                // A server that has seen enough may be gone before the last byte.
                try? socket.write(requests[next])
                if ending == .finished { socket.finishWriting() }
                slots.append(Slot(index: next, socket: socket))
                next += 1
            }
            var waiting = slots.map { pollfd(fd: $0.socket.descriptor, events: Int16(POLLIN), revents: 0) }
            guard poll(&waiting, nfds_t(waiting.count), 60_000) > 0 else {
                throw RawSocket.Failure(description: "No connection was answered or closed in time.")
            }
            for position in slots.indices.reversed() where waiting[position].revents != 0 {
                guard let some = try? slots[position].socket.readSome(), !some.isEmpty else {
                    answers[slots[position].index] = slots[position].answer
                    slots.remove(at: position)
                    continue
                }
                slots[position].answer += some
            }
        }
        return answers
    }
}
