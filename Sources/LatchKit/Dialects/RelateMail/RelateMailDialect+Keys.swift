extension RelateMailDialect: KeyDialect {
    /// What a key may do, where everything is asked for.
    ///
    /// Source: RM-6.
    public static let allScopes = ["smtp", "pop3", "imap", "api:read", "api:write", "app"]
    /// The scope that an app needs, and nothing else.
    public static let leastScopes = ["app"]

    static let keysPath = "/api/smtp-credentials"

    /// ``leastScopes``.
    public var leastScopes: [String] { Self.leastScopes }

    /// `GET /api/smtp-credentials`.
    public var keyList: DialectRequest { DialectRequest(.get, Self.keysPath, headers: Self.acceptsJSON) }

    /// Reads the list; which key is whose is not in it.
    ///
    /// Source: RM-8.
    public func keys(from answer: ClientResponse, of server: ServerAddress) throws(LatchError) -> [RemoteKey] {
        guard answer.status.isSuccess, InterceptedResponse.isJSON(answer),
            let list = try? JSON.decode(RelateMailListedKeys.self, from: answer.body)
        else { throw refusal(answer, server, "The keys could not be listed") }
        return list.keys.filter { $0.isActive && Self.isID($0.id) }.map { key in
            RemoteKey(
                id: key.id, name: key.name, scopes: key.scopes, created: ServerTime.date(key.createdAt),
                lastUsed: key.lastUsedAt.flatMap(ServerTime.date), isCurrent: false)
        }
    }

    /// `POST /api/smtp-credentials` with a name and scopes; without scopes the server gives all that it knows.
    ///
    /// Source: RM-6; contract of Relate Mail, rules 12 and 13.
    public func makeKey(name: String, scopes: [String]?) -> DialectRequest {
        post(Self.keysPath, RelateMailKeyRequest(name: String(name.prefix(100)), scopes: scopes))
    }

    /// `POST /api/smtp-credentials/mobile`: a key with the scope `app` alone.
    ///
    /// The real server takes `ios`, `android`, `windows`, `macos` and `web` and refuses `linux`, so a Linux machine says
    /// `web`; it stands in the key's name and nowhere else.
    func makeAppKey(device: String) -> DialectRequest {
        post(
            Self.keysPath + "/mobile",
            RelateMailMobileKeyRequest(
                deviceName: String(device.prefix(70)), platform: Device.systemName == "macOS" ? "macos" : "web"))
    }

    /// Reads the key, its id and what it may do, which may be less than was asked for. Created or not, the status is 200 on
    /// real servers.
    public func key(from answer: ClientResponse, of server: ServerAddress) throws(LatchError) -> Grant {
        guard answer.status.isSuccess, InterceptedResponse.isJSON(answer),
            let made = try? JSON.decode(RelateMailCreatedKey.self, from: answer.body), Self.isKey(made.apiKey),
            Self.isID(made.id)
        else { throw refusal(answer, server, "No key was made") }
        var grant = Grant(token: Secret(made.apiKey))
        grant.keyID = made.id
        grant.scopes = made.scopes.map(SanitizedText.clean)
        return grant
    }

    /// `DELETE /api/smtp-credentials/{id}`.
    public func revokeKey(_ id: String) -> DialectRequest {
        DialectRequest(.delete, Self.keysPath + "/" + PercentEncoding.encode(id), headers: Self.acceptsJSON)
    }

    /// Whether the server lets a key with these scopes call it at all; the others are for mail programs.
    ///
    /// Source: contract of Relate Mail, rule 11.
    public func canCall(with scopes: [String]) -> Bool {
        !Set(scopes.map { $0.lowercased() }).isDisjoint(with: ["api:read", "api:write", "app"])
    }

    /// Why the server does not do what was asked, in its words.
    func refusal(_ answer: ClientResponse, _ server: ServerAddress, _ what: String) -> LatchError {
        if Self.refusesName(answer) { return Self.nameRefused(server) }
        if let reason = InterceptedResponse.reason(for: answer, from: server, expectsJSON: true) {
            return LatchError(.foreignAnswer, "\(what): \(server) did not answer itself; \(reason)")
        }
        switch answer.status.rawValue {
        case 429:
            let pause = retryDelay(after: answer) ?? Self.pause
            return LatchError(
                .rateLimited,
                "\(what): \(server) wants fewer requests. Wait \(pause.components.seconds) seconds, then try again.",
                retryAfter: pause)
        case 500...:
            let remedy = hint(for: answer).map { " " + $0 } ?? ""
            return LatchError(
                .serverError,
                "\(what): \(server) has a fault of its own (status \(answer.status)). Try again later.\(remedy)",
                retryAfter: RetryAfter.read(answer))
        case 200..<300:
            return LatchError(
                .foreignAnswer,
                "\(what): what came from \(server) is not what a server of Relate Mail says "
                    + "(\(InterceptedResponse.sketch(answer))). Try again; if it stays so, ask its operator.")
        default: return LatchError(.serverRefused, "\(what): \(server) says: \(text(of: answer)).")
        }
    }

    /// It goes into a header field, whatever it looks like.
    static func isKey(_ text: String) -> Bool {
        (1...512).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// It goes into a path.
    private static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: ".") }
    }

    private func post(_ path: String, _ body: some Encodable) -> DialectRequest {
        DialectRequest(
            .post, path, headers: ["Accept": JSON.mediaType, "Content-Type": JSON.mediaType], body: JSON.encode(body))
    }
}
