package import Crypto
import Database
package import FoundationEssentials
import Primitives

/// A program that people sign in to with an account of this server: a client of OAuth.
///
/// Source: RFC 6749 §2.
package struct RegisteredClient: Sendable, Equatable {
    /// The `client_id`.
    package let id: String
    /// The name for people, at most 80 characters.
    package let name: String
    /// The SHA-256 of the client's secret. Nil for a client with keys, and for a public client, such as an app, which
    /// cannot keep a secret.
    package let secretHash: SHA256Digest?
    /// The addresses that a sign-in may end at.
    package let redirects: [String]
    /// Whether devices without a browser may sign in to the client with a code that a person enters elsewhere.
    ///
    /// Source: RFC 8628.
    package let allowsDevice: Bool
    /// Whether the client gets only tokens that are bound to a key.
    ///
    /// Source: RFC 9449 §5.2.
    package let requiresProof: Bool
    /// When the client was added. Nil for a client of the configuration.
    package let created: Date?
    /// The keys with which the client authenticates instead of a secret. Nil when it has none.
    package let keys: ClientKeys?
    /// The registration of a client that registered itself. Nil when an administrator added the client.
    package let registration: ClientRegistration?
    /// How the client takes part in sign-outs.
    package let signOut: ClientSignOutSettings
    /// The form of the client's access tokens.
    package let accessTokens: AccessTokenForm
    /// What an administrator decided about the client.
    package let settings: ClientSettings

    /// Creates a client.
    package init(
        id: String, name: String, secretHash: SHA256Digest?, redirects: [String], allowsDevice: Bool = false,
        requiresProof: Bool = false, created: Date? = nil, keys: ClientKeys? = nil,
        registration: ClientRegistration? = nil, signOut: ClientSignOutSettings = ClientSignOutSettings(),
        accessTokens: AccessTokenForm = .opaque, settings: ClientSettings = ClientSettings()
    ) {
        self.id = id
        self.name = name
        self.secretHash = secretHash
        self.redirects = redirects
        self.allowsDevice = allowsDevice
        self.requiresProof = requiresProof
        self.created = created
        self.keys = keys
        self.registration = registration
        self.signOut = signOut
        self.accessTokens = accessTokens
        self.settings = settings
    }

    /// The apps that speak one of the gateway's own dialects, as one client.
    static let own = RegisteredClient(id: ClientGrant.own.client, name: "", secretHash: nil, redirects: [])

    /// The program `latch`, with which devices without a browser sign in to the dialects of the gateway.
    package static let latch = RegisteredClient(
        id: "latch", name: "latch", secretHash: nil, redirects: [], allowsDevice: true)

    /// Returns a new id: 128 random bits as 22 characters of base64url. It begins with a letter or a digit, because it is
    /// an argument of commands.
    package static func newID() -> String {
        while true {
            let id = Base64URL.encode(SecureRandom.bytes(16))
            if id.first != "-", id.first != "_" { return id }
        }
    }

    /// The redirects as they are stored.
    var storedRedirects: String { redirects.joined(separator: "\n") }

    /// The name of a client that registered itself, which can change it at any time. Nil for another client.
    package var selfChosenName: String? { registration == nil ? nil : name }

    /// Whether the client registered itself, and no administrator has approved it as it is.
    package var isUnverified: Bool { registration.map { $0.approval != .approved } ?? false }

    /// Whether the client authenticates, with a secret or with keys.
    package var isConfidential: Bool { secretHash != nil || keys != nil }

    /// Whether the client's requests may have no code challenge. A public client must always send one, because nothing
    /// else stops somebody who has its code.
    package var mayOmitChallenge: Bool { isConfidential && !settings.requiresChallenge }

    /// Reads a client. A credential that cannot be read is an error: without it the client would be public.
    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        id = try row.get(0)
        name = try row.get(1)
        secretHash = try row.get(2)
        redirects = (try row.get(3) as String).split(separator: "\n").map(String.init)
        allowsDevice = try row.get(4)
        requiresProof = try row.get(5)
        created = try row.get(6)
        keys = try row.get(7)
        registration = try ClientRegistration(row, at: 8)
        signOut = try ClientSignOutSettings(row, at: 12)
        accessTokens = AccessTokenForm(rawValue: try row.get(14)) ?? .opaque
        settings = ClientSettings(stored: try row.get(15))
    }
}

/// What a person allowed a client to do.
///
/// Source: RFC 6749 §3.3; RFC 8707 §2.
package struct ClientGrant: Sendable, Equatable {
    /// The `client_id`.
    package let client: String
    /// The scopes, in the order of the request, each once.
    package let scopes: [String]
    /// The addresses of the servers that the tokens are for. When it is empty, the tokens are for this server only.
    package let audience: [String]

    /// The grant of the apps that speak one of the gateway's own dialects. No registered client has this id.
    static let own = ClientGrant(client: "", scopes: [])

    /// Whether the grant is that of an app of the gateway's own dialects, whose tokens are no tokens of a client.
    package var isOwn: Bool { client == Self.own.client }

    /// Creates a grant.
    package init(client: String, scopes: [String], audience: [String] = []) {
        self.client = client
        self.scopes = scopes
        self.audience = audience
    }

    /// Creates a grant from the columns `client_id`, `scopes` and `audience`, of which the first is at `index`.
    init(_ row: SQLRow, at index: Int) throws(DatabaseError) {
        client = try row.get(index)
        scopes = Self.words(try row.get(index + 1))
        audience = Self.words(try row.get(index + 2))
    }

    /// Splits words that are separated by spaces.
    static func words(_ text: String) -> [String] { text.split(atByte: " ").map(String.init) }
}
