import Crypto
import FoundationEssentials
import HTTPClient
import HTTPMessages
import ServerMessages

/// The dialect of Time Tracker, and of the gateway `latchd` when it uses the same protocol.
///
/// People sign in through an identity provider only. The token is signed and cannot be renewed; after it expires, the
/// person signs in again. Time Tracker's own server cannot revoke a token. After a sign-out, the session is therefore
/// checked once more.
///
/// The server's paths are at the root of the host on a developer's machine and below `/api` behind a proxy. Discovery
/// finds out which applies, and the result is stored with the account.
///
/// Source: TT-1 to TT-13; docs/protocols/time-tracker.md.
package struct TimeTrackerDialect: Dialect {
    /// The prefix of every path: empty or `/api`.
    let prefix: String

    /// The prefixes that discovery tries, below the server's address.
    static let prefixes = ["", "/api"]
    private static let prefixDetail = "prefix"

    /// Makes the dialect.
    package init() {
        prefix = ""
    }

    init(prefix: String) {
        self.prefix = prefix
    }

    /// `timetracker`.
    package var id: DialectID { DialectID(rawValue: "timetracker") }
    /// `Time Tracker`.
    package var title: String { "Time Tracker" }

    /// The prefix of the server's paths, under the key `prefix`.
    package var details: [String: String] { [Self.prefixDetail: prefix] }

    /// Returns the dialect with the prefix in `details`. An unknown prefix counts as empty.
    package func with(details: [String: String]) -> any Dialect {
        let prefix = details[Self.prefixDetail] ?? ""
        return TimeTrackerDialect(prefix: Self.prefixes.contains(prefix) ? prefix : "")
    }

    /// Returns the address that programs of this family are configured with: `API_BASE_URL`, or
    /// `http://localhost:3001`.
    ///
    /// - Parameter environment: The environment variables.
    /// - Returns: The address.
    /// - Throws: ``LatchError/Code/invalidAddress``.
    ///
    /// Source: TT-10.
    package static func address(
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(LatchError) -> ServerAddress {
        let configured = environment["API_BASE_URL"] ?? ""
        return try ServerAddress(configured.isEmpty ? "http://localhost:3001" : configured)
    }

    /// The request that asks who is signed in: `GET /auth/me`.
    package var identity: DialectRequest { DialectRequest(.get, prefix + "/auth/me", headers: Self.headers) }

    /// Reads `{"id", "username", "fullName", "email"}`.
    ///
    /// Source: TT-8, TT-13.
    package func identity(from response: ClientResponse) -> Identity? {
        guard response.status.isSuccess, let user = try? JSON.decode(TimeTrackerUser.self, from: response.body) else {
            return nil
        }
        return Self.identity(of: user)
    }

    static func identity(of user: TimeTrackerUser) -> Identity {
        let names = [user.fullName ?? "", user.username]
        return Identity(id: user.id, email: user.email, name: names.first { !$0.isEmpty })
    }

    /// Returns the request that signs out: `POST /auth/logout`.
    package func signOut(keyID: String?) -> DialectRequest? {
        DialectRequest(.post, prefix + "/auth/logout", headers: Self.headers)
    }

    /// Returns `Authorization: Bearer` with the token. The scheme has exactly this case, because Time Tracker servers
    /// compare it case-sensitively.
    package func authorization(_ token: Secret) -> HTTPHeaders {
        ["Authorization": "Bearer " + token.reveal()]
    }

    /// The names under which the family's apps store a token: `com.timetracker.app` and `accessToken`.
    ///
    /// Source: TT-5.
    package var tokenName: (service: String, account: String)? { ("com.timetracker.app", "accessToken") }

    /// `Content-Type` and `Accept`, both with the media type of JSON.
    ///
    /// Source: TT-6.
    package var tokenHeaders: HTTPHeaders { Self.headers }

    /// Returns the text of the member `error`.
    ///
    /// Source: TT-9.
    package func errorMessage(in response: ClientResponse) -> String? {
        (try? JSON.decode(TimeTrackerError.self, from: response.body))?.error
    }

    static let headers: HTTPHeaders = ["Accept": JSON.mediaType, "Content-Type": JSON.mediaType]
}
