import Crypto
import GatewayConfiguration
import LatchGateway
import Redis
import SignInBridge
import TestSupport
import Testing

@Suite("The configuration of clients and Redis")
struct ConfiguredNamesTests: ReadsConfigurations {
    private static let secret = "0123456789abcdef0123456789abcdef"

    @Test("reads clients by their configured names from the file and the environment")
    func clients() throws {
        let folder = try TemporaryDirectory()
        try folder.write(Self.secret + "-file\r\n", to: "reports.secret")
        let settings = try readSettings(
            "introspection: {clients: {reports: {secret_file: reports.secret}, b-2: {secret: \(Self.secret)}}}",
            [
                "LATCHD_INTROSPECTION_CLIENTS_C_D_SECRET": Self.secret + "-variable",
                "LATCHD_INTROSPECTION_CLIENTS_E_SECRET_FILE": folder.file("reports.secret"),
            ], folder: folder.path)

        #expect(settings.introspectionClients.map(\.id) == ["reports", "b-2", "c-d", "e"])
        #expect(
            settings.introspectionClients.map(\.secret) == [
                Secret(Self.secret + "-file"), Secret(Self.secret), Secret(Self.secret + "-variable"),
                Secret(Self.secret + "-file"),
            ])
    }

    @Test("reports mistakes below a name with line and remedy, without secrets")
    func errorsBelowNames() throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write(Self.secret, to: "secret")
        let reported = configurationErrors(
            """
            introspection:
              clients:
                reports:
                  sekret: hunter2-hunter2
                Reports:
                  secret: hunter2-hunter2
                short:
                  secret: hunter2-hunter2
                twice:
                  secret: \(Self.secret)
                  secret_file: \(file)
                list:
                  secret: [hunter2-hunter2]
                gone:
                  secret_file: /nonexistent
            """)

        for text in [
            "line 4: unknown key 'introspection.clients.reports.sekret'; did you mean "
                + "'introspection.clients.reports.secret'",
            "line 5: introspection.clients has the invalid name 'Reports'; use only lower-case letters",
            "line 8: introspection.clients.short.secret is shorter than 32 bytes; "
                + "generate one with: openssl rand -hex 32",
            "line 10: introspection.clients.twice has a secret and a secret_file; remove one of them",
            "line 15: introspection.clients.gone.secret_file: '/nonexistent' is not valid: the file does not exist",
        ] {
            #expect(reported.contains { $0.contains(text) }, "\(text): \(reported)")
        }
        #expect(!reported.joined().leaks("hunter2-hunter2") && !reported.joined().leaks(Self.secret))
    }

    @Test(
        "refuses unknown variables of a client",
        arguments: ["SECRET", "_SECRET", "A_SECRETS", "a_SECRET", "A__SECRET_", "Ä_SECRET"])
    func variables(_ rest: String) {
        #expect(configurationErrors(nil, ["LATCHD_INTROSPECTION_CLIENTS_" + rest: Self.secret]).count == 1)
    }

    @Test("lists the keys of a client")
    func listing() {
        #expect(ConfigurationKey.listing().contains("LATCHD_INTROSPECTION_CLIENTS_ID_SECRET_FILE"))
    }

    @Test("reads the Redis settings, and the password from a file")
    func redis() throws {
        let folder = try TemporaryDirectory()
        try folder.write("hunter2-hunter2\n", to: "password")
        let settings = try readSettings(
            """
            redis: {url: "redis://latch@10.0.0.7/2", password_file: password, allow_plain: true}
            bridge: {codes: redis}
            public_url: https://latch.example/app
            """, folder: folder.path)

        #expect(settings.redis?.address == .host("10.0.0.7", port: 6379))
        #expect(settings.redis?.database == 2)
        #expect(settings.redis?.user == "latch")
        #expect(settings.redis?.password == Secret("hunter2-hunter2"))
        #expect(settings.codes == .redis)
        #expect(settings.publicURL == "https://latch.example/app")
        #expect(try readSettings(nil).redis == nil)
    }

    @Test(
        "reports mistakes in the Redis settings without the URL",
        arguments: [
            ("redis: {url: 'redis://:hunter2-hunter2@localhost'}", "redis.url is not valid; write redis://HOST"),
            ("redis: {url: 'redis://latch@localhost'}", "there is no password; set redis.password_file"),
            ("redis: {url: 'redis://10.0.0.7'}", "the connection is not encrypted; use a tunnel"),
            ("redis: {url: 'unix:hunter2-hunter2'}", "redis.url is not valid"),
            ("bridge: {codes: redis}", "bridge.codes is redis, but redis.url is not set; set redis.url"),
            ("redis: {password_file: /nonexistent}", "redis.password_file: '/nonexistent' is not valid"),
            ("redis: {password_file: /dev/zero}", "redis.password_file: '/dev/zero' is not valid"),
        ])
    func wrongRedis(_ file: String, _ words: String) {
        let reported = configurationErrors(file)
        #expect(reported.count == 1 && reported[0].contains(words), "\(reported)")
        #expect(!reported.joined().leaks("hunter2-hunter2"))
    }

    @Test(
        "refuses invalid web addresses",
        arguments: [
            "latch.example", "ftp://latch.example", "https://", "https://latch.example/", "https://a@latch.example",
            "https://latch.example?x", "https://latch.example/a b", "https://latch.example:0", "https://Latch.example",
            "https://latch.example/#x", "https://[::1", "https:///api",
        ])
    func publicURL(_ word: String) {
        #expect(configurationErrors(nil, ["LATCHD_PUBLIC_URL": word]).count == 1)
    }

    @Test(
        "accepts web addresses", arguments: ["http://127.0.0.1:2283", "https://[::1]:8443/api", "https://a.b/c/d"])
    func publicURLs(_ word: String) throws {
        #expect(try readSettings(nil, ["LATCHD_PUBLIC_URL": word]).publicURL == word)
    }
}
