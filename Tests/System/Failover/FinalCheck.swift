import HTTPClient
import HTTPMessages

/// Asks a gateway for everything that was confirmed.
struct FinalCheck: Sendable {
    let directClient: DirectGatewayClient
    let record: FailoverRecord
    let people: [LoadPerson.Knowledge]
    /// The tokens of the sessions that one-time codes gave.
    let tokens: [String]

    /// Asks one gateway.
    func run(at address: String) async {
        for person in people { await check(person, at: address) }
        for token in tokens where await directClient.status(token, at: address) != .ok {
            record.addViolation("a session of a one-time code is lost at \(address)")
        }
        for session in record.ended where await directClient.status(session.token, at: address) != .forbidden {
            record.addViolation("a session that ended (\(session.proof)) is not refused at \(address)")
        }
    }

    private func check(_ person: LoadPerson.Knowledge, at address: String) async {
        for token in person.live where await directClient.status(token, at: address) != .ok {
            record.addViolation("a confirmed session of \(person.email) is lost at \(address)")
        }
        func status(_ password: String) async -> HTTPStatus? {
            try? await directClient.signIn(person.email, password, at: address).status
        }
        var accepted = 0
        for password in person.passwords where await status(password) == .ok { accepted += 1 }
        if accepted != 1 { record.addViolation("\(accepted) passwords of \(person.email) are accepted at \(address)") }
        if let replaced = person.replaced, await status(replaced) != .badRequest {
            record.addViolation("a replaced password of \(person.email) is not refused at \(address)")
        }
    }
}
