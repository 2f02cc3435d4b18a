import HTTPMessages
import OpenIDConnect
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import LatchGateway

@Suite("Access configuration")
struct AccessConfigurationTests {
    private func read(_ file: String, _ environment: [String: String] = [:]) throws -> GatewaySettings {
        try ConfigurationReader.read(
            file: Array(file.utf8), name: "/etc/l.yaml", folder: "/etc", environment: environment,
            defaultValue: DaemonConfiguration(stateFolder: "/state")
        ).settings
    }

    private func configurationErrors(_ file: String) -> [String] {
        let error = #expect(throws: ConfigurationError.self) { try read(file) }
        return error?.mistakes.map(\.description) ?? []
    }

    private static let base = """
        public_url: https://id.example.org
        trusted_proxies: 127.0.0.1

        """

    @Test("rules keep the order of the file, followed by those of the environment")
    func order() throws {
        let settings = try read(
            Self.base + """
                verify: {enabled: yes, otherwise: nobody, cookie_domain: example.org}
                access:
                  health: {hosts: app.example.org, paths: [/health, /share/*], methods: GET, allow: public}
                  admin: {paths: /admin/*, groups: [admins, "Domain Users"], users: ada@Example.org}
                  apps: {hosts: ["*.example.org"]}
                  off: {hosts: old.example.org, allow: nobody}
                """, ["LATCHD_ACCESS_LAST_PATHS": "/last,/least/*"])

        let rules = settings.verify.rules
        #expect(rules.rules.map(\.name) == ["health", "admin", "apps", "off", "last"])
        #expect(rules.otherwise == .nobody)
        #expect(settings.verify.cookieDomain == "example.org")
        #expect(rules.rules[0].admission == .everybody)
        #expect(rules.rules[0].methods == [.get])
        #expect(
            rules.rules[1].admission
                == .some(AccessMembers(users: ["ada@example.org"], groups: ["admins", "Domain Users"])))
        #expect(rules.rules[2].admission == .signedIn)
        #expect(rules.rules[3].admission == .nobody)
        #expect(rules.rules[4].paths.count == 2)
    }

    @Test("every mistake is reported with its line")
    func invalidRules() {
        let reported = configurationErrors(
            Self.base + """
                verify: {enabled: yes, otherwise: public, cookie_domain: example.com}
                access:
                  one: {hosts: "https://app.example.org"}
                  two: {paths: /a/../b, methods: get}
                  three: {allow: everybody}
                  four: {allow: public, groups: [x]}
                  five: {users: nobody}
                  Six: {}
                  seven: {path: /a}
                """)

        let expected = [
            (3, "verify.otherwise: 'public'"), (5, "access.one.hosts"), (6, "access.two.paths"),
            (6, "access.two.methods"), (7, "access.three.allow"), (9, "access.five.users"),
            (10, "access has the invalid name 'Six'"), (11, "did you mean 'access.seven.paths'"),
            (3, "verify.cookie_domain does not contain the host of public_url"), (8, "access.four.allow is public"),
        ]
        for (line, text) in expected {
            #expect(
                reported.contains { $0.contains("line \(line):") && $0.contains(text) }, "\(line) \(text): \(reported)")
        }
        #expect(reported.count == expected.count, "\(reported)")
    }

    @Test("forward authentication requires a trusted proxy and a public URL")
    func requirements() {
        let reported = configurationErrors("verify: {enabled: yes}")

        #expect(reported.contains { $0.contains("verify.enabled is true, but no proxy is trusted") })
        #expect(reported.contains { $0.contains("verify.enabled is true, but public_url is not set") })
        #expect(configurationErrors("access: {one: {}}\naccess: {}").isEmpty == false)
        #expect(
            configurationErrors("access: {one: {allow: public}}").contains { $0.contains("verify.enabled is false") })
    }

    @Test("basic_keys is accepted only in rules for signed-in people")
    func basicKeys() throws {
        let verify = "verify: {enabled: yes}\n"
        let rules = try read(Self.base + verify + "access: {dav: {basic_keys: true}, other: {paths: /x}}").verify.rules
            .rules
        #expect(rules.map(\.acceptsKeys) == [true, false])
        for allow in ["public", "nobody"] {
            #expect(
                configurationErrors(verify + "access: {dav: {allow: \(allow), basic_keys: true}}").contains {
                    $0.contains("access.dav.allow is \(allow), but the rule has basic_keys")
                })
        }
    }

    @Test("groups are read from the configured claim, by default if forward authentication is on")
    func groupsClaim() throws {
        let provider = "providers: {home: {issuer: https://id.example, client_id: x, client_authentication: none%}}\n"
        func claim(_ verify: String, _ more: String) throws -> String?? {
            try read(Self.base + verify + provider.replacing("%", with: more)).providers.first?.settings.groupsClaim
        }

        #expect(try claim("", "") == .some(nil))
        // Groups are stored, and shown by 'latchd user show', wherever the claim is named.
        #expect(try claim("", ", groups_claim: groups") == "groups")
        #expect(try claim("verify: {enabled: yes}\n", "") == "groups")
        #expect(try claim("verify: {enabled: yes}\n", ", groups_claim: roles") == "roles")
        #expect(try claim("verify: {enabled: yes}\n", ", groups_claim: none") == .some(nil))
    }
}
