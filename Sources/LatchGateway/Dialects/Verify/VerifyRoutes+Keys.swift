import FoundationEssentials
import HTTPServer
import Wire

/// Programs that know Basic alone, such as those of CalDAV, WebDAV, OPDS and git: they come with the person's e-mail address
/// or id as the name and a key of the person's as the password. A rule must say so; the person's own password opens nothing.
///
/// Source: RFC 7617.
extension VerifyRoutes {
    /// What a name and a key are worth.
    enum KeyOutcome {
        case known(KnownAPIKey)
        /// They are nobody's.
        case refused
        /// Too many failures; stay away for so long.
        case limited(Duration)
    }

    /// Name and password of a request's one `Authorization` field; nil where it is of another scheme.
    static func basic(_ request: ServerRequest) -> BasicCredentials? {
        let fields = request.headers.values("Authorization")
        return fields.count == 1 ? BasicCredentials(fields[0]) : nil
    }

    /// Whose a name and a key are. What is no good key of that person's counts as a sign-in that failed, from its address and
    /// on that account.
    func holder(of basic: BasicCredentials, _ request: ServerRequest) async throws -> KeyOutcome {
        let name = EmailAddress(normalizing: String(decoding: basic.name, as: UTF8.self))
        let key = String(decoding: basic.password, as: UTF8.self)
        if let known = services.apiKeys.authenticateAtOnce(key), Self.isName(name, of: known) { return .known(known) }
        let client = PasswordSignIn.Client(
            address: services.proxies.client(of: request), device: SessionDevice(name: request.headers["User-Agent"]),
            request: request.id)
        switch services.attempts.reserve(from: client.address, account: name) {
        case .refused(let wait): return .limited(wait)
        case .granted(let reservation):
            let known: KnownAPIKey?
            do {
                known = try await services.apiKeys.authenticate(key)
            } catch {
                services.attempts.release(reservation)
                throw error
            }
            guard let known, Self.isName(name, of: known) else {
                services.metrics.apiKey(.refused)
                services.signIn.fail("wrong-key", known?.person.id, reservation, client)
                return .refused
            }
            services.attempts.succeed(reservation)
            return .known(known)
        }
    }

    /// Whether a name is that of a key's person.
    private static func isName(_ name: EmailAddress, of key: KnownAPIKey) -> Bool {
        name == EmailAddress(stored: key.person.email) || UUID(uuidString: name.text) == key.person.id
    }
}
