import GatewayCore

/// Runs the reads of each person one after another, so that the long reads of one person cannot occupy all reading
/// connections of the database.
actor ReadQueue {
    /// The maximum number of reads of one person that wait. More than the connections that a browser opens to a server.
    static let maximumWaiting = 16

    /// The reads that wait, by person. A person whose read runs has an entry.
    private var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]

    /// The number of reads of a person that wait.
    func waitingCount(of person: String) -> Int { waiting[person]?.count ?? 0 }

    /// Runs `read` after the person's earlier reads.
    ///
    /// A cancelled read keeps its place, and `read` is expected to end at once.
    ///
    /// - Parameters:
    ///   - person: The person's id.
    ///   - read: The read.
    /// - Returns: The value of `read`.
    /// - Throws: The error of `read`; ``GatewayError/Code/busy`` when too many reads of the person are waiting.
    func run<Value: Sendable>(of person: String, _ read: @Sendable () async throws -> Value) async throws -> Value {
        if let others = waiting[person] {
            guard others.count < Self.maximumWaiting else {
                throw GatewayError(.busy, "Too many requests for your pictures are waiting; try again in a moment.")
            }
            await withCheckedContinuation { waiting[person, default: []].append($0) }
        } else {
            waiting[person] = []
        }
        // The next read takes over the entry, so that no other read starts in between.
        defer {
            if waiting[person]?.isEmpty == false {
                waiting[person]?.removeFirst().resume()
            } else {
                waiting[person] = nil
            }
        }
        return try await read()
    }
}
