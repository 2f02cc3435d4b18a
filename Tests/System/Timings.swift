import TestSupport

/// Times of requests of several kinds, taken in rounds: each kind once in a round, in a random order.
///
/// The kinds of a round meet the same load, so they are compared within their round and nowhere else: of two kinds that
/// take the same time each is the slower one in half of the rounds, whatever else the machine does.
struct Timings {
    /// The kinds' names, and for each round the time of each.
    private let kinds: [String]
    private var rounds: [[Duration]]

    /// Sends each of `requests` once in a round, over one connection to `port`, in `rounds` rounds and then in as many again
    /// until `suffices`, four times at most: a machine that does much else needs more to show the same.
    ///
    /// - Throws: `RawSocket.Failure` when the server is gone, `Unexpected` when an answer has not `status`.
    static func measure(
        _ requests: [(kind: String, bytes: [UInt8])], rounds: Int, port: Int, status: Int,
        until suffices: (Timings) -> Bool
    ) async throws -> Timings {
        var timings = try await measure(requests, rounds: rounds, port: port, status: status)
        while !suffices(timings), timings.rounds.count < rounds * 4 {
            timings.rounds += try await measure(requests, rounds: rounds, port: port, status: status).rounds
        }
        return timings
    }

    private static func measure(
        _ requests: [(kind: String, bytes: [UInt8])], rounds: Int, port: Int, status: Int
    ) async throws -> Timings {
        let measured = await BackgroundThread.run {
            Result {
                let socket = try RawSocket(port: port)
                // The first requests find nothing warm.
                for _ in 0..<5 { _ = try requests.map { try time($0.bytes, socket, status) } }
                return try (0..<rounds).map { _ in
                    var times = [Duration](repeating: .zero, count: requests.count)
                    for index in requests.indices.shuffled() {
                        times[index] = try time(requests[index].bytes, socket, status)
                    }
                    return times
                }
            }
        }
        return Timings(kinds: requests.map(\.kind), rounds: try measured.get())
    }

    /// An answer of another kind than the one whose time is asked for.
    struct Unexpected: Error {
        let head: String
    }

    private static func time(_ bytes: [UInt8], _ socket: RawSocket, _ status: Int) throws -> Duration {
        let clock = ContinuousClock()
        let start = clock.now
        try socket.write(bytes)
        let response = try socket.readResponse()
        let end = clock.now
        guard response.head.hasPrefix("HTTP/1.1 \(status) ") else { throw Unexpected(head: response.head) }
        return end - start
    }

    /// How far two kinds are from being equally slow: the sign test's statistic, which for kinds of one time is between
    /// -4.5 and 4.5 but for seven times in a million.
    ///
    /// Source: Conover, Practical Nonparametric Statistics, §3.4.
    func difference(of kind: String, from other: String) -> Double {
        guard let one = kinds.firstIndex(of: kind), let two = kinds.firstIndex(of: other) else { return .infinity }
        let slower = rounds.count { $0[one] > $0[two] }
        let faster = rounds.count { $0[one] < $0[two] }
        guard slower + faster > 0 else { return 0 }
        return Double(slower - faster) / Double(slower + faster).squareRoot()
    }

    /// The median of a kind, for a message.
    func median(_ kind: String) -> Duration {
        guard let index = kinds.firstIndex(of: kind), !rounds.isEmpty else { return .zero }
        return rounds.map { $0[index] }.sorted()[rounds.count / 2]
    }

    /// Every kind with its median and its difference from the first.
    var table: String {
        kinds.map { "\($0): median \(median($0)), difference \(difference(of: $0, from: kinds[0]))" }
            .joined(separator: "\n")
    }
}
