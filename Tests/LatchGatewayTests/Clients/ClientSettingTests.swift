import HTTPMessages
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore

/// The settings of clients in the configuration, at the command and in the database.
@Suite("The settings of clients as they are written")
struct ClientSettingTests: ReadsConfigurations {
    /// A setting, words that are valid, and words that are not.
    struct Words: Sendable, CustomTestStringConvertible {
        let name: String
        let valid: [[String]]
        let invalid: [String]

        var testDescription: String { name }

        static let all = [
            Words(
                name: "allow", valid: [["signed-in"], ["administrators"], ["nobody"]], invalid: ["public", "Nobody"]),
            Words(
                name: "users", valid: [["ada@example.org", "5f0f6e4c-7a3c-4f5e-9d7b-0c1d2e3f4a5b"]],
                invalid: ["ada", ""]),
            Words(name: "groups", valid: [["staff"], ["Domain Users", "admins"]], invalid: [""]),
            Words(name: "max_age", valid: [["30s"], ["5m"], ["none"]], invalid: ["29s", "31d", "-1s", "soon"]),
            Words(
                name: "acr", valid: [["none"], ["single-factor"], ["multi-factor"]], invalid: ["mfa", "Multi-factor"]),
            Words(name: "access_token_lifetime", valid: [["1m"], ["10m"], ["none"]], invalid: ["59s", "61m", "0"]),
            Words(name: "session_lifetime", valid: [["1h"], ["7d"], ["none"]], invalid: ["1s", "4000d"]),
            Words(name: "session_maximum", valid: [["8d"], ["none"]], invalid: ["1s", "4000d"]),
            Words(
                name: "require_pushed_authorization_requests", valid: [["true"], ["false"]],
                invalid: ["required", "1"]),
            Words(
                name: "scopes", valid: [["openid"], ["openid", "offline_access"]],
                invalid: ["a scope", "\u{E9}", String(repeating: "a", count: 65)]),
            Words(name: "refresh_tokens", valid: [["true"], ["false"]], invalid: ["never", "2"]),
            Words(name: "pkce", valid: [["required"], ["optional"]], invalid: ["none", "false", "S256"]),
            Words(name: "id_token_claims", valid: [["true"], ["false"]], invalid: ["email", "1"]),
        ]
    }

    private static func file(_ settings: String) -> String {
        """
        public_url: https://latch.example
        pages: {enabled: true}
        oauth:
          enabled: true
          clients: {app: {redirects: "a:/b", secret: 0123456789abcdef0123456789abcdef\(settings.isEmpty ? "" : ", " + settings)}}
        """
    }

    @Test("the table of words has every setting, and the configuration has every key")
    func complete() {
        #expect(Words.all.map(\.name) == ClientSetting.all.map(\.name))
        let keys = ConfigurationFamily.oauthClients.keys("app").map(\.path)
        for setting in ClientSetting.all { #expect(keys.contains("oauth.clients.app.\(setting.name)")) }
    }

    @Test("the file, the environment, the command and the database accept the same, and agree", arguments: Words.all)
    func same(_ words: Words) throws {
        let setting = try #require(ClientSetting.all.first { $0.name == words.name })
        let variable = "LATCHD_OAUTH_CLIENTS_APP_\(words.name.uppercased())"
        for valid in words.valid {
            var settings = ClientSettings()
            try setting.set(valid, in: &settings)
            #expect(setting.words(of: settings) == valid)
            #expect(ClientSettings(stored: settings.text) == settings)
            let list = "[\(valid.map { "\"\($0)\"" }.joined(separator: ", "))]"
            let word = setting.isList ? list : "\"\(valid[0])\""
            let inFile = try readSettings(Self.file("\(words.name): \(word)")).authorizationServer.clients
            #expect(inFile.map(\.settings) == [settings], "\(valid)")
            let inEnvironment = try readSettings(Self.file(""), [variable: valid.joined(separator: ",")])
            #expect(inEnvironment.authorizationServer.clients.map(\.settings) == [settings], "\(valid)")
            setting.reset(in: &settings)
            #expect(settings == ClientSettings())
        }
        for invalid in words.invalid {
            var settings = ClientSettings()
            #expect(throws: ClientSetting.Invalid.self) { try setting.set([invalid], in: &settings) }
            #expect(settings == ClientSettings())
            let reported = configurationErrors(Self.file("\(words.name): [\"\(invalid)\"]"))
            #expect(!reported.isEmpty && reported.allSatisfy { $0.contains("oauth.clients.app.\(words.name)") })
        }
    }

    @Test("latchd check names settings that contradict others or have no effect, each with a remedy")
    func nonsense() {
        let cases: [(String, String)] = [
            (
                "allow: administrators, users: [ada@example.org]",
                "allow is administrators, but users or groups are named"
            ),
            ("allow: nobody, groups: staff", "allow is nobody, but users or groups are named"),
            (
                "access_token_lifetime: 1h",
                "access_token_lifetime is longer than oauth.access_token_lifetime, which is 10m"
            ),
            ("session_lifetime: 30d", "session_lifetime is longer than sessions.lifetime"),
            ("session_maximum: 1000d", "session_maximum is longer than sessions.maximum"),
            ("session_lifetime: 2d, session_maximum: 1d", "session_lifetime is longer than session_maximum"),
            ("refresh_tokens: false, session_lifetime: 1d", "refresh_tokens is false, so session_lifetime"),
            (
                "refresh_tokens: false, scopes: [openid, offline_access]",
                "scopes has offline_access, but refresh_tokens"
            ),
            ("scopes: [openid, mails]", "scopes has 'mails', which the server does not know"),
        ]
        for (settings, problem) in cases {
            let reported = configurationErrors(Self.file(settings))
            #expect(reported.count == 1 && reported[0].contains("oauth.clients.app: \(problem)"), "\(reported)")
        }
        let open = configurationErrors(
            Self.file("pkce: optional").replacing(", secret: 0123456789abcdef0123456789abcdef", with: ""))
        #expect(open.count == 1 && open[0].contains("pkce is optional, but the client has neither"), "\(open)")
        let device = configurationErrors(
            Self.file("").replacing(
                "redirects: \"a:/b\"", with: "device: true, require_pushed_authorization_requests: true"))
        #expect(device.count == 1 && device[0].contains("has no effect without redirects"), "\(device)")
    }

    @Test("a warning names settings that let nobody in")
    func warnings() throws {
        func warnings(_ settings: String) throws -> [String] {
            try readSettings(Self.file(settings)).warnings.filter { $0.contains("oauth.clients.app") }
        }
        #expect(try warnings("groups: staff").first?.hasPrefix("oauth.clients.app.groups lets nobody in") == true)
        #expect(try warnings("acr: multi-factor").first?.hasPrefix("oauth.clients.app.acr lets nobody in") == true)
        #expect(try warnings("groups: staff, users: ada@example.org").isEmpty)
    }

    @Test("the settings of registrations are read, and have the defaults of before")
    func registration() throws {
        let defaults = try readSettings(nil).authorizationServer.registration
        #expect(!defaults.requiresApproval && defaults.redirects.isEmpty && defaults.allows("https://any.example/"))
        #expect(defaults.unusedLifetime == .seconds(86_400) && defaults.idleLifetime == .seconds(90 * 86_400))
        let registration = try readSettings(
            """
            oauth:
              registration:
                approval: required
                redirect_hosts: ["*.example.org", com.example.app:*]
                unused_lifetime: 2h
                idle_lifetime: 30d
            """
        ).authorizationServer.registration
        #expect(registration.requiresApproval && registration.redirects.count == 2)
        #expect(registration.unusedLifetime == .seconds(7_200) && registration.idleLifetime == .seconds(30 * 86_400))
        for wrong in ["https:*", "http:*", ":*", "a b:*", "https://a.example", "a.example/x", "1a:*", ""] {
            #expect(RegistrationRedirect(wrong) == nil, "\(wrong)")
        }
    }
}
