import CLibrary

/// Runs many exchanges with one server, each on its own connection, several at a time.
public enum RawExchanges {
    /// The behaviour of a client after it has sent its bytes.
    public enum Ending: Sendable {
        /// The client waits for the server to close the connection.
        case waiting
        /// The client shuts down its sending side and waits for the server to close the connection.
        case finished
    }

    private struct Slot {
        let index: Int
        let socket: RawSocket
        var response: [UInt8] = []
    }

    /// Sends each of `requests` and collects the received bytes until the server closes or resets the connection.
    ///
    /// - Parameters:
    ///   - requests: The bytes for each connection. They must be small enough for the system to accept them at once.
    ///   - port: A port of 127.0.0.1.
    ///   - ending: The behaviour of each client after sending.
    ///   - width: The maximum number of concurrent connections.
    /// - Returns: The received bytes, in the order of `requests`.
    /// - Throws: ``RawSocket/Failure`` when nothing arrives on any connection for a minute.
    public static func run(
        _ requests: [[UInt8]], port: Int, ending: Ending = .waiting, width: Int = 64
    ) throws -> [[UInt8]] {
        try run(requests, ending: ending, width: width) { try RawSocket(port: port) }
    }

    /// Does the same as ``run(_:port:ending:width:)``, with connections that `connect` creates.
    public static func run(
        _ requests: [[UInt8]], ending: Ending = .waiting, width: Int = 64, connect: () throws -> RawSocket
    ) throws -> [[UInt8]] {
        var answers = [[UInt8]](repeating: [], count: requests.count)
        var slots: [Slot] = []
        var next = 0
        while next < requests.count || !slots.isEmpty {
            while next < requests.count, slots.count < width {
                let socket = try connect()
                // The server may close the connection before the last byte is sent.
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
                guard let chunk = try? slots[position].socket.readSome(), !chunk.isEmpty else {
                    answers[slots[position].index] = slots[position].response
                    slots.remove(at: position)
                    continue
                }
                slots[position].response += chunk
            }
        }
        return answers
    }
}
