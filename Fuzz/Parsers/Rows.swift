import Foundation

@testable import Crypto
@testable import Database
@testable import GatewayCore
@testable import GatewayDialects
@testable import HTTPMessages
@testable import LatchGateway
@testable import ServerMessages

extension FuzzedParser {
    // The values of one row, as a program other than ours may have left them in the file.
    static let rows =
        [
            FuzzedParser("people-rows") { input in
                let row = FuzzedRow(input)
                if let person = try await row.read(PeopleStatements.person) {
                    try requireJSON(person)
                }
                guard let stored = try await row.read(PeopleStatements.credential.row), let hash = stored.hash else {
                    return
                }
                try require(hash.parameters != nil, "A stored hash has no parameters and is taken for well formed.")
            },
            FuzzedParser("session-rows") { input in
                let row = FuzzedRow(input)
                let now = Date(timeIntervalSince1970: 1_700_000_000)
                if let stored = try await row.read(SessionStatements.find.row) {
                    if case .valid(let session) = stored.authentication(at: now, livingUntil: stored.expires) {
                        try require(stored.ended == nil && now < session.expires, "A session that is over is valid.")
                        try requireJSON(session.person, session)
                    }
                }
                if let summary = try await row.read(SessionStatements.list.row) {
                    _ = summary.state(at: now)
                    _ = Timestamp.text(summary.created, fraction: true)
                }
                _ = try await row.read(SessionStatements.refresh.row)
                _ = try await row.read(SessionStatements.endByToken.row)
            },
            FuzzedParser("signing-key-rows") { input in
                guard let stored = try await FuzzedRow(input).read(SigningKeyStatements.all.row) else { return }
                let now = Date(timeIntervalSince1970: 1_700_000_000)
                let keys = SigningKeys([stored], sealedWith: Secret(bytes: Array(repeating: 7, count: 32)))
                // A private half is bound to the gateway's key and to its name: nobody writes one into the file.
                try require(
                    keys.signer(at: now) == nil && keys.newest == nil, "A row that this gateway did not seal signs.")
                let published = try? JSONValue(parsing: keys.published(at: now).encoded())["keys"]?.array
                try require((published?.count ?? -1) <= 1 && published != nil, "The published keys are no list.")
                for key in published ?? [] {
                    try require(
                        key["d"] == nil && key["k"] == nil && key["p"] == nil,
                        "A private half that stands beside the public one is published.")
                }
                let summary = SigningKeySummary(stored, isSigning: false)
                _ = summary.state(at: now)
                _ = Timestamp.text(keys.lastCreated, fraction: true)
                _ = Timestamp.text(summary.neededUntil, fraction: false)
            },
        ] + [accountRows]

    private static func requireJSON(_ person: Person, _ session: Session? = nil) throws(BrokenProperty) {
        let session =
            session
            ?? Session(
                id: SessionID(rawValue: "1"), person: person, created: person.created, expires: person.created,
                cap: person.created)
        let user = try? JSON.decode(OnyxUser.self, from: OnyxMe.body(session))
        try require(user != nil, "The answer of /api/me is no JSON for a person from the database.")
        try require(user?.email == person.email, "The answer of /api/me names another e-mail address.")
    }
}
