public import FoundationEssentials

/// How Time Tracker speaks, and the gateway `latchd` in that dialect.
///
/// People sign in through an identity provider only. The token is a signed one that cannot be renewed: when its time has
/// run out the person signs in again. A server of Time Tracker itself cannot take one back; what signing out changed there
/// is therefore looked at.
///
/// Its paths are at the top of its host on a developer's machine and below `/api` behind a proxy: which it is was found out
/// when the server was, and is kept as a detail of the account.
///
/// Source: TT-1 to TT-13; contract of Time Tracker.
public struct TimeTrackerDialect: Dialect {
    /// What stands before every path: nothing, or `/api`.
    let prefix: String

    /// The places where the paths of such a server are looked for, below its address.
    static let prefixes = ["", "/api"]
    private static let prefixDetail = "prefix"

    /// Makes the dialect.
    public init() {
        prefix = ""
    }

    init(prefix: String) {
        self.prefix = prefix
    }

    /// `timetracker`.
    public var id: DialectID { DialectID(rawValue: "timetracker") }
    /// `Time Tracker`.
    public var title: String { "Time Tracker" }

    /// Where the server's paths are.
    public var details: [String: String] { [Self.prefixDetail: prefix] }

    /// The same dialect with the paths where they were found.
    public func with(details: [String: String]) -> any Dialect {
        let prefix = details[Self.prefixDetail] ?? ""
        return TimeTrackerDialect(prefix: Self.prefixes.contains(prefix) ? prefix : "")
    }

    /// The address that programs of this family are configured with: `API_BASE_URL`, or `http://localhost:3001`.
    ///
    /// - Parameter environment: The environment's variables.
    /// - Returns: The address.
    /// - Throws: ``LatchError/Code/invalidAddress``.
    ///
    /// Source: TT-10.
    public static func address(
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(LatchError) -> ServerAddress {
        let configured = environment["API_BASE_URL"] ?? ""
        return try ServerAddress(configured.isEmpty ? "http://localhost:3001" : configured)
    }

    /// `GET /auth/me`.
    public var identity: DialectRequest { DialectRequest(.get, prefix + "/auth/me", headers: Self.headers) }

    /// Reads `{"id", "username", "fullName", "email"}`.
    ///
    /// Source: TT-8, TT-13.
    public func identity(from answer: ClientResponse) -> Identity? {
        guard answer.status.isSuccess, let user = try? JSON.decode(TimeTrackerUser.self, from: answer.body) else {
            return nil
        }
        return Self.identity(of: user)
    }

    static func identity(of user: TimeTrackerUser) -> Identity {
        let names = [user.fullName ?? "", user.username]
        return Identity(id: user.id, email: user.email, name: names.first { !$0.isEmpty })
    }

    /// `POST /auth/logout`.
    public func signOut(keyID: String?) -> DialectRequest? {
        DialectRequest(.post, prefix + "/auth/logout", headers: Self.headers)
    }

    /// `Authorization: Bearer`, in exactly this case: servers of Time Tracker compare it so.
    public func authorization(_ token: Secret) -> HTTPHeaders {
        ["Authorization": "Bearer " + token.reveal()]
    }

    /// `com.timetracker.app` and `accessToken`.
    ///
    /// Source: TT-5.
    public var tokenName: (service: String, account: String)? { ("com.timetracker.app", "accessToken") }

    /// `Content-Type` and `Accept` of JSON.
    ///
    /// Source: TT-6.
    public var tokenHeaders: HTTPHeaders { Self.headers }

    /// The sentence under `error`.
    ///
    /// Source: TT-9.
    public func errorMessage(in answer: ClientResponse) -> String? {
        (try? JSON.decode(TimeTrackerError.self, from: answer.body))?.error
    }

    static let headers: HTTPHeaders = ["Accept": JSON.mediaType, "Content-Type": JSON.mediaType]
}
