package import Crypto
import Database
package import FoundationEssentials

/// A request of a device without a browser to sign in, which a person decides on another device.
///
/// Source: RFC 8628 §3.1.
package struct DeviceRequest: Sendable, Equatable {
    /// The client, and what it asks for.
    package let grant: ClientGrant
    /// The id of the server family whose session the device gets. Nil for a session of the client.
    package let dialect: String?
    /// What the device calls itself, and the address that it asked from.
    package let device: SessionDevice
    /// When the device asked.
    package let created: Date
    /// When the request expires.
    package let expires: Date

    /// How strong the authentication of the person should be. Nil for any.
    package let level: AuthenticationLevel?
    /// How long ago the person may have authenticated. Nil for any time.
    package let maximumAge: Duration?

    /// The number of columns that ``init(_:)`` reads.
    static let columnCount = 10

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        grant = try ClientGrant(row, at: 0)
        dialect = try row.get(3)
        device = SessionDevice(name: try row.get(4), address: try row.get(5))
        created = try row.get(6)
        expires = try row.get(7)
        level = (try row.get(8) as String?).flatMap(AuthenticationLevel.init)
        maximumAge = (try row.get(9) as Int?).map { .seconds($0) }
    }
}

/// Who allowed a request of a device, and how.
package struct DeviceApproval: Sendable, Equatable {
    /// The person.
    package let person: UUID
    /// How often all sessions of the person had been ended by then.
    package let sessionEpoch: Int
    /// When the person last authenticated.
    package let authenticated: Date
    /// How the person authenticated.
    package let methods: AuthenticationMethods
    /// The session of the browser in which the person allowed it.
    package let browser: SessionID

    /// Creates the approval of the person in a browser with a session.
    package init(in session: Session) {
        person = session.person.id
        sessionEpoch = session.person.sessionEpoch
        authenticated = session.authenticated
        methods = session.methods
        browser = session.id
    }

    /// Reads the columns from an index. Nil when nobody has allowed the request.
    init?(_ row: SQLRow, at index: Int) throws(DatabaseError) {
        guard let person = try row.get(index) as UUID?, let epoch = try row.get(index + 1) as Int?,
            let authenticated = try row.get(index + 2) as Date?, let browser = try row.get(index + 3) as String?,
            let methods = try row.get(index + 4) as String?
        else { return nil }
        self.person = person
        sessionEpoch = epoch
        self.authenticated = authenticated
        self.methods = AuthenticationMethods(stored: methods)
        self.browser = SessionID(rawValue: browser)
    }
}

/// The codes of a new request of a device.
package struct DeviceCodes: Sendable {
    /// The code of the device: 256 random bits as 43 characters of base64url.
    package let device: Secret
    /// The code that the person types.
    package let user: UserCode
}

/// What a device learns when it asks for its tokens.
///
/// Source: RFC 8628 §3.5.
package enum DevicePoll: Sendable {
    /// Nobody has decided yet.
    case pending
    /// Nobody has decided yet, and the device asks too often. It must wait 5 seconds longer from now on.
    case slowDown
    /// The person denied the request.
    case denied
    /// The request has expired.
    case expired
    /// There is no such request of this client, or its code was used.
    case unknown
    /// The person allowed the request. Its code is used up.
    case allowed(DeviceRequest, DeviceApproval)
}

/// A request of a device in the database.
struct StoredDeviceRequest: Sendable {
    /// What was decided.
    enum State: String {
        case waiting, allowed, denied
    }

    let request: DeviceRequest
    let state: State
    /// How long the device must wait between two requests for tokens, in seconds.
    let interval: Int
    /// When the device last asked for tokens.
    let polled: Date?
    let approval: DeviceApproval?

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        let count = DeviceRequest.columnCount
        request = try DeviceRequest(row)
        state = State(rawValue: try row.get(count)) ?? .denied
        interval = try row.count(count + 1)
        polled = try row.get(count + 2)
        approval = try DeviceApproval(row, at: count + 3)
    }
}
