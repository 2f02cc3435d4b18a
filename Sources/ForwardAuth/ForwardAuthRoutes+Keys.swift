import FoundationEssentials
import GatewayCore
package import GatewayHTTP
import HTTPMessages
package import HTTPServer

/// HTTP Basic for programs that support no other scheme, such as clients of CalDAV, WebDAV, OPDS and git.
///
/// The name is the person's e-mail address or id, the password is one of the person's API keys. A rule must allow keys.
/// The person's own password is never accepted.
///
/// Source: RFC 7617.
extension ForwardAuthRoutes {
    /// The result of a check of a name and a key.
    enum KeyOutcome {
        case known(KnownAPIKey)
        /// The key is invalid, or belongs to another person.
        case refused
        /// Too many failures. The caller must wait for the given time.
        case limited(Duration)
    }

    /// Returns the name and the password of a request's only `Authorization` field, or nil when it has another scheme.
    package static func basic(_ request: ServerRequest) -> BasicCredentials? {
        let fields = request.headers.values("Authorization")
        return fields.count == 1 ? BasicCredentials(fields[0]) : nil
    }

    /// Whether the backend must not get the `Authorization` of a request: there are several fields, or one has a Basic
    /// credential with a password in the format of a key, valid or not, or a token after other credentials.
    ///
    /// Words are read more tolerantly than where this server accepts a key, because backends differ. All other
    /// credentials are the backend's own. This also applies if other credentials decide: a program may send its key to
    /// an address that needs none, for example after a redirect.
    static func hidesAuthorization(_ request: ServerRequest) -> Bool {
        let fields = request.headers.values("Authorization")
        guard let field = fields.first else { return false }
        guard fields.count == 1 else { return true }
        let words = field.utf8.split { " \t,".utf8.contains($0) }.map { Substring($0) }
        return words.contains(where: hasKey)
            || zip(words, words.dropFirst()).contains { scheme, token in
                ["bearer", "dpop"].contains(scheme.lowercased()) && token.utf8.count >= minimumTokenCount
            }
    }

    /// The length of the shortest token of this server, in bytes.
    private static let minimumTokenCount = 43

    /// Whether a word is a name and a key in base64, also without padding or with white space after the key.
    private static func hasKey(_ word: Substring) -> Bool {
        let bare = Substring(word.utf8.prefix { $0 != UInt8(ascii: "=") })
        let padded = bare + String(repeating: "=", count: (4 - bare.utf8.count % 4) % 4)
        guard let credentials = BasicCredentials("Basic \(padded)") else { return false }
        let words = String(decoding: credentials.password, as: UTF8.self).unicodeScalars
            .split { $0.properties.isWhitespace }
        return words.contains { APIKeyStore.isKey(String($0)) }
    }

    /// Finds the person with a name and a key. Anything but a valid key of that person counts as a failed sign-in, for
    /// the address and for the account.
    func holder(of basic: BasicCredentials, _ request: ServerRequest) async throws -> KeyOutcome {
        let name = EmailAddress(normalizing: String(decoding: basic.name, as: UTF8.self))
        let key = String(decoding: basic.password, as: UTF8.self)
        if let known = services.apiKeys.cachedAuthentication(key), Self.isName(name, of: known) { return .known(known) }
        let client = origin(of: request)
        switch try await services.attempts.reserve(from: client.address, guessing: .password(name)) {
        case .refused(let wait): return .limited(wait)
        case .granted(let reservation):
            let known: KnownAPIKey?
            do {
                known = try await services.apiKeys.authenticate(key)
                try services.attempts.requireInTime(reservation)
            } catch {
                services.attempts.release(reservation)
                throw error
            }
            guard let known, Self.isName(name, of: known) else {
                services.metrics.apiKey(.refused)
                try await services.signIn.fail(reservation, reason: "wrong-key", person: known?.person.id, from: client)
                return .refused
            }
            // Not a success, which would clear the failures and make the address known: a program can have a key.
            services.attempts.release(reservation)
            return .known(known)
        }
    }

    /// Whether the name is the address or the id of the key's person.
    private static func isName(_ name: EmailAddress, of key: KnownAPIKey) -> Bool {
        name == EmailAddress(stored: key.person.email) || UUID(uuidString: name.text) == key.person.id
    }
}
