import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

/// Web applications that sign people in at the built gateway with modules that others wrote.
@Suite("Third-party OpenID Connect modules", .serialized, .blocking, .inTurn, .timeLimit(.minutes(4)))
struct WebApplicationTests {
    /// The address of the gateway, which is its issuer. A program needs it before the gateway runs.
    private static let gatewayPort = 24_318
    private static let apachePort = 24_319
    private static let secret = "a secret of the web application that nobody guesses"
    private static let issuer = "http://127.0.0.1:\(gatewayPort)"

    @Test(
        "OpenID Connect Core: a web application of another project signs a person in with its module",
        arguments: ["mozilla-django-oidc", "Flask-OIDC", "mod_auth_openidc"])
    func signIn(_ module: String) async throws {
        let folder = try TemporaryDirectory()
        try await Self.withGateway(folder) {
            let (program, address) = try await Self.start(module, folder)
            try await attempt {
                let browser = FormBrowser(try HTTPClient())
                let answers = [
                    "username": SystemFixture.email, "password": SystemFixture.password, "decision": "allow",
                ]
                let text = "signed in as \(SystemFixture.email)"
                _ = try await browser.follow(address, answers: answers, untilPageWith: text)
                // The application has a session of its own now.
                _ = try await browser.follow(address, answers: [:], untilPageWith: text)
            } finally: {
                program.send(SIGTERM)
                await program.waitForExit()
            }
        }
    }

    private static func start(
        _ module: String, _ folder: TemporaryDirectory
    ) async throws -> (RunningProgram, address: String) {
        if module == "mod_auth_openidc" {
            return (try await startApache(folder), "http://127.0.0.1:\(apachePort)/private/page")
        }
        let program = try RunningProgram(
            Products.packageFolder + "/.build/oauth-clients/bin/python",
            [
                Products.packageFolder + "/Tests/Programs/OAuthClients/web_application.py",
                module == "Flask-OIDC" ? "flask" : "django", issuer, "web", secret,
            ],
            environment: ["PATH": ProxyFixture.path, "HOME": folder.path, "PYTHONDONTWRITEBYTECODE": "1"])
        let line = try await program.line(containing: "application on ")
        return (program, "http://127.0.0.1:\(try #require(line.split(separator: " ").last))/")
    }

    /// Starts Apache, which shows the address of the person who is signed in.
    private static func startApache(_ folder: TemporaryDirectory) async throws -> RunningProgram {
        let modules = ["mpm_event", "authn_core", "authz_core", "authz_user", "auth_openidc"]
            .map { "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so" }
        try folder.write(
            """
            ServerName 127.0.0.1
            ServerRoot \(folder.path)
            PidFile \(folder.file("apache.pid"))
            DefaultRuntimeDir \(folder.path)
            Listen 127.0.0.1:\(apachePort)
            ErrorLog /dev/stderr
            LogLevel notice
            \(modules.joined(separator: "\n"))
            \(getuid() == 0 ? "User www-data\nGroup www-data" : "")
            DocumentRoot /usr/share/apache2
            <Directory />
                AllowOverride None
            </Directory>
            OIDCProviderMetadataURL \(issuer)/.well-known/openid-configuration
            OIDCClientID web
            OIDCClientSecret "\(secret)"
            OIDCPKCEMethod S256
            OIDCRedirectURI http://127.0.0.1:\(apachePort)/callback
            OIDCScope "openid email"
            OIDCCryptoPassphrase 0123456789abcdef0123456789abcdef
            OIDCCacheType shm
            OIDCRemoteUserClaim email
            <Location />
                AuthType openid-connect
                Require valid-user
                ErrorDocument 404 "signed in as %{REMOTE_USER}"
            </Location>

            """, to: "apache.conf")
        let program = try RunningProgram(
            "/usr/sbin/apache2", ["-d", folder.path, "-f", folder.file("apache.conf"), "-DFOREGROUND"],
            environment: ["PATH": ProxyFixture.path])
        _ = try await program.line(containing: "resuming normal operations")
        return program
    }

    private static func withGateway(_ folder: TemporaryDirectory, _ body: () async throws -> Void) async throws {
        try folder.write(
            """
            public_url: \(issuer)
            pages: {enabled: true}
            oauth:
              enabled: true
              clients:
                web:
                  name: A web application
                  secret: \(secret)
                  redirects: ["http://127.0.0.1/callback", "http://127.0.0.1/authorize", "http://127.0.0.1/oidc/callback/"]

            """, to: "latchd.yaml")
        let base = try SystemFixture(["LATCHD_CONFIG": folder.file("latchd.yaml")])
        let gateway = try await base.startGateway(port: gatewayPort)
        try await attempt {
            let added = try await base.latchd(
                "user", "add", SystemFixture.email, "--admin", "--password-stdin",
                input: SystemFixture.password + "\n")
            #expect(added.status == 0, "\(added.errors)")
            try await body()
        } finally: {
            gateway.program.send(SIGTERM)
            await gateway.program.waitForExit()
        }
    }
}
