import HTTPClient
import HTTPMessages
import TestSupport

/// Sign-ins of an app through an identity provider, whose one-time codes are exchanged at two gateways at once.
struct CodeLoad {
    let app: AppSignIn
    let addresses: [String]
    let record: FailoverRecord

    /// Signs in until the clients stop.
    ///
    /// - Returns: The tokens of the sessions, and the number of exchanges that got no clear answer.
    func run(_ random: SeededRandom) async throws -> (tokens: [String], unclear: Int) {
        var random = random
        var (tokens, unclear): ([String], Int) = ([], 0)
        while !record.isStopped {
            let order = addresses.shuffled(using: &random)
            // A gateway or the database may be away, then the person begins again.
            guard let callback = try? await app.authorize(at: order[0], backAt: order[1]), callback.code != nil else {
                try await Task.sleep(for: .milliseconds(100))
                continue
            }
            async let one = try? app.exchange(callback, at: order[1])
            async let other = try? app.exchange(callback, at: order[2])
            var responses = await [one, other]
            // Again, because a code that was lost in an error must not be valid twice later.
            responses.append(try? await app.exchange(callback, at: order[0]))
            let granted = responses.compactMap { $0 }.filter { $0.status == .ok }
            if granted.count > 1 { record.addViolation("a one-time code gave \(granted.count) sessions") }
            unclear += responses.count { ($0?.status.rawValue ?? 500) >= 500 }
            tokens += granted.compactMap { try? JSONValue(parsing: $0.body)["access_token"]?.string }
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...200, using: &random)))
        }
        return (tokens, unclear)
    }
}
