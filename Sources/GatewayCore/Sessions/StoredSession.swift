import Database
import FoundationEssentials

/// A session as stored in the database, with its person unless the person was removed.
struct StoredSession: Sendable {
    /// The number of columns in ``SessionStatements/storedColumns``.
    static let columnCount = 22

    let id: SessionID
    let created: Date
    let authenticated: Date
    let lastUsed: Date
    let expires: Date
    let cap: Date
    let ended: Date?
    let person: Person?
    let groups: [String]
    let methods: AuthenticationMethods
    let keyThumbprint: String?
    let parent: SessionID?

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        id = SessionID(rawValue: try row.get(0))
        created = try row.get(1)
        lastUsed = try row.get(2)
        expires = try row.get(3)
        cap = try row.get(4)
        ended = try row.get(5)
        authenticated = try row.get(18)
        methods = AuthenticationMethods(stored: try row.get(19))
        keyThumbprint = try row.get(20)
        parent = (try row.get(21) as String?).map(SessionID.init(rawValue:))
        groups = IdentityGroups.read(try row.get(17))
        guard let personID = try row.get(6) as UUID? else {
            person = nil
            return
        }
        person = Person(
            id: personID, email: try row.get(7), name: try row.get(8), created: try row.get(11),
            sessionEpoch: try row.get(13), disabled: try row.get(12), isAdministrator: try row.get(9),
            isVerified: try row.get(10), mustChangePassword: try row.get(14), avatarColor: try row.get(15),
            isVouched: try row.get(16))
    }

    /// Returns the result of authenticating the session's token at `now`. `livingUntil` is the expiry, including uses
    /// that are not yet written.
    func authentication(at now: Date, livingUntil: Date) -> Authentication {
        guard ended == nil else { return .terminated }
        guard now < livingUntil else { return .expired }
        guard let person, person.isActive else { return .terminated }
        return .valid(
            Session(
                id: id, person: person, created: created, authenticated: authenticated, expires: expires, cap: cap,
                groups: groups, methods: methods, keyThumbprint: keyThumbprint, parent: parent))
    }
}
