import Crypto
import HTTPClient
import HTTPMessages
import ServerMessages

extension RelateMailDialect: KeyDialect {
    /// All scopes of a key, requested unless the person chooses fewer.
    ///
    /// Source: RM-6.
    package static let allScopes = ["smtp", "pop3", "imap", "api:read", "api:write", "app"]
    /// The only scope that an app needs.
    package static let leastScopes = ["app"]

    static let keysPath = "/api/smtp-credentials"

    /// The same scopes as the static ``leastScopes``.
    package var leastScopes: [String] { Self.leastScopes }

    /// The request that lists the person's keys: `GET /api/smtp-credentials`.
    package var keyList: DialectRequest { DialectRequest(.get, Self.keysPath, headers: Self.acceptsJSON) }

    /// Reads the list of active keys. It does not say which key belongs to which program.
    ///
    /// Source: RM-8.
    package func keys(from response: ClientResponse, of server: ServerAddress) throws(LatchError) -> [RemoteKey] {
        guard response.status.isSuccess, InterceptedResponse.isJSON(response),
            let list = try? JSON.decode(RelateMailListedKeys.self, from: response.body)
        else { throw refusal(response, from: server, failure: "The keys could not be listed") }
        return list.keys.filter { $0.isActive && Self.isID($0.id) }.map { key in
            RemoteKey(
                id: key.id, name: key.name, scopes: key.scopes, created: ServerTime.date(key.createdAt),
                lastUsed: key.lastUsedAt.flatMap(ServerTime.date), isCurrent: false)
        }
    }

    /// Returns `POST /api/smtp-credentials` with a name and scopes. Without scopes the server grants all that it
    /// supports.
    ///
    /// Source: RM-6; docs/protocols/relate-mail.md, Creating a key.
    package func makeKey(name: String, scopes: [String]?) -> DialectRequest {
        post(Self.keysPath, RelateMailKeyRequest(name: String(name.prefix(100)), scopes: scopes))
    }

    /// Returns `POST /api/smtp-credentials/mobile`, which creates a key with the scope `app` only.
    ///
    /// The real server accepts `ios`, `android`, `windows`, `macos` and `web` but not `linux`, so a Linux machine sends
    /// `web`. The platform appears only in the name of the key.
    func makeAppKey(device: String) -> DialectRequest {
        post(
            Self.keysPath + "/mobile",
            RelateMailMobileKeyRequest(
                deviceName: String(device.prefix(70)), platform: Device.systemName == "macOS" ? "macos" : "web"))
    }

    /// Reads the key, its id and its scopes, which may be fewer than requested. Real servers respond to the creation
    /// with 200, not 201.
    package func key(from response: ClientResponse, of server: ServerAddress) throws(LatchError) -> Grant {
        guard response.status.isSuccess, InterceptedResponse.isJSON(response),
            let made = try? JSON.decode(RelateMailCreatedKey.self, from: response.body), Self.isKey(made.apiKey),
            Self.isID(made.id)
        else { throw refusal(response, from: server, failure: "No key was created") }
        var grant = Grant(token: Secret(made.apiKey))
        grant.keyID = made.id
        grant.scopes = made.scopes.map(SanitizedText.clean)
        return grant
    }

    /// Returns the request that revokes a key: `DELETE /api/smtp-credentials/{id}`.
    package func revokeKey(_ id: String) -> DialectRequest {
        DialectRequest(.delete, Self.keysPath + "/" + PercentEncoding.encode(id), headers: Self.acceptsJSON)
    }

    /// Returns whether a key with these scopes can call the server at all. The other scopes are for mail programs.
    ///
    /// Source: docs/protocols/relate-mail.md, Scopes.
    package func canCall(with scopes: [String]) -> Bool {
        !Set(scopes.map { $0.lowercased() }).isDisjoint(with: ["api:read", "api:write", "app"])
    }

    /// Returns the error for a refused request, with the server's error message.
    func refusal(_ response: ClientResponse, from server: ServerAddress, failure: String) -> LatchError {
        if Self.refusesName(response) { return Self.nameRefused(server) }
        if let reason = InterceptedResponse.reason(for: response, from: server, expectsJSON: true) {
            return LatchError(.interceptedResponse, "\(failure): the response did not come from \(server); \(reason)")
        }
        switch response.status.rawValue {
        case 429:
            let pause = retryDelay(after: response) ?? Self.pause
            return LatchError(
                .rateLimited,
                "\(failure): too many requests to \(server). Wait \(pause.components.seconds) seconds, then try again.",
                retryAfter: pause)
        case 500...:
            let remedy = hint(for: response).map { " " + $0 } ?? ""
            return LatchError(
                .serverError,
                "\(failure): \(server) \(response.status.failureDescription). Try again later.\(remedy)",
                retryAfter: RetryAfter.read(response))
        case 200..<300:
            return LatchError(
                .interceptedResponse,
                "\(failure): the response from \(server) has an unexpected format "
                    + "(\(InterceptedResponse.summary(response))). Try again. If the error persists, ask its operator.")
        default: return LatchError(.serverRefused, "\(failure): \(server) says: \(text(of: response)).")
        }
    }

    /// Returns whether a text can be a key. It is sent in a header field, so only its length and characters are
    /// checked.
    static func isKey(_ text: String) -> Bool {
        (1...512).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Returns whether a text can be the id of a key. It becomes part of a path.
    private static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: ".") }
    }

    private func post(_ path: String, _ body: some Encodable) -> DialectRequest {
        DialectRequest(
            .post, path, headers: ["Accept": JSON.mediaType, "Content-Type": JSON.mediaType], body: JSON.encode(body))
    }
}
