import FoundationEssentials
import HTTPMessages

/// The database format of the settings of a client: a JSON object with the settings that differ from the defaults, named
/// as in the configuration. Times are in seconds.
extension ClientSettings {
    /// The settings as they are stored. Empty for the defaults.
    var text: String {
        let defaults = ClientSettings()
        func list(_ name: String, _ values: [String]) -> JSONValue.Member? {
            values.isEmpty ? nil : .init(name, .array(values.map(JSONValue.string)))
        }
        func time(_ name: String, _ value: Duration?) -> JSONValue.Member? {
            value.map { .init(name, .number(Double($0.components.seconds))) }
        }
        let members: [JSONValue.Member?] = [
            admission == defaults.admission ? nil : .init("allow", .string(admission.rawValue)),
            list("users", users), list("groups", groups), time("max_age", maximumAge),
            level.map { .init("acr", .string($0.rawValue)) }, time("access_token_lifetime", accessTokenLifetime),
            time("session_lifetime", sessionLifetime), time("session_maximum", sessionMaximum),
            requiresPushedRequests ? .init("require_pushed_authorization_requests", true) : nil,
            list("scopes", scopes), issuesRefreshTokens ? nil : .init("refresh_tokens", false),
            requiresChallenge ? nil : .init("pkce", "optional"),
            hasIDTokenClaims ? .init("id_token_claims", true) : nil,
        ]
        let stored = members.compactMap { $0 }
        return stored.isEmpty ? "" : String(decoding: JSONValue.object(stored).encoded(), as: UTF8.self)
    }

    /// Reads stored settings. With a text that this version cannot read, nobody may sign in, so that a restriction which a
    /// newer version stored is never ignored.
    init(stored text: String) {
        self = Self.read(text) ?? Self.closed
    }

    /// The settings of a client that nobody may sign in to.
    private static var closed: ClientSettings {
        var settings = ClientSettings()
        settings.admission = .nobody
        return settings
    }

    private static func read(_ text: String) -> ClientSettings? {
        var settings = ClientSettings()
        guard !text.isEmpty else { return settings }
        guard let value = try? JSONValue(parsing: Array(text.utf8)), let members = value.members else { return nil }
        for member in members {
            func texts() -> [String]? {
                let texts = member.value.array?.compactMap(\.string)
                return texts?.count == member.value.array?.count ? texts : nil
            }
            let seconds = member.value.integer.map { Duration.seconds($0) }
            let word = member.value.string
            switch member.name {
            case "allow":
                guard let value = word.flatMap(Admission.init) else { return nil }
                settings.admission = value
            case "users":
                guard let value = texts() else { return nil }
                settings.users = value
            case "groups":
                guard let value = texts() else { return nil }
                settings.groups = value
            case "max_age":
                guard let seconds else { return nil }
                settings.maximumAge = seconds
            case "acr":
                guard let value = word.flatMap(AuthenticationLevel.init) else { return nil }
                settings.level = value
            case "access_token_lifetime":
                guard let seconds else { return nil }
                settings.accessTokenLifetime = seconds
            case "session_lifetime":
                guard let seconds else { return nil }
                settings.sessionLifetime = seconds
            case "session_maximum":
                guard let seconds else { return nil }
                settings.sessionMaximum = seconds
            case "require_pushed_authorization_requests":
                guard let value = member.value.bool else { return nil }
                settings.requiresPushedRequests = value
            case "scopes":
                guard let value = texts() else { return nil }
                settings.scopes = value
            case "refresh_tokens":
                guard let value = member.value.bool else { return nil }
                settings.issuesRefreshTokens = value
            case "pkce":
                guard word == "optional" else { return nil }
                settings.requiresChallenge = false
            case "id_token_claims":
                guard let value = member.value.bool else { return nil }
                settings.hasIDTokenClaims = value
            default: return nil
            }
        }
        return settings
    }
}
