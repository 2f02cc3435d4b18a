import HTTPMessages
import TestSupport

/// Asks every gateway for each session that ended, from the moment on at which it must be refused.
struct RevocationWatch {
    let directClient: DirectGatewayClient
    let record: FailoverRecord

    /// Watches until the clients stop. Returns how many refusals it got.
    func run(_ random: SeededRandom) async throws -> Int {
        try await withThrowingTaskGroup { group in
            var random = random
            var next = 0
            while !record.isStopped {
                let ended = record.ended
                for session in ended[next...] {
                    // And an older one, which a new primary or a restarted gateway must know too.
                    let older = ended.randomElement(using: &random) ?? session
                    group.addTask {
                        try await Task.sleep(until: max(session.refusedFrom, older.refusedFrom), clock: .continuous)
                        return await ask(session) + ask(older)
                    }
                }
                next = ended.count
                try await Task.sleep(for: .milliseconds(5))
            }
            return try await group.reduce(0, +)
        }
    }

    private func ask(_ session: FailoverRecord.EndedSession) async -> Int {
        await withTaskGroup { group in
            for address in directClient.addresses {
                group.addTask { await (address, directClient.status(session.token, at: address)) }
            }
            return await group.reduce(0) { count, answer in
                // A gateway that does not answer was killed, and one with 503 cannot ask the database.
                guard let status = answer.1, status != .serviceUnavailable else { return count }
                if status != .forbidden {
                    record.addViolation(
                        "\(answer.0) answered \(status) for a session that ended (\(session.proof)), "
                            + "\(session.refusedFrom.duration(to: .now)) after it must be refused")
                }
                return count + 1
            }
        }
    }
}
