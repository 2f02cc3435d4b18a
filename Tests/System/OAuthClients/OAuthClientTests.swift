import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

/// Whole sign-ins at the built gateway with client libraries that others wrote.
@Suite("Third-party OAuth clients", .serialized, .blocking, .inTurn, .timeLimit(.minutes(4)))
struct OAuthClientTests {
    /// The address of the gateway, which is its issuer. A program needs it before the gateway runs.
    private static let gatewayPort = 24_310
    private static let proxyPort = 24_311
    private static let secret = "a secret of the web client that nobody guesses"

    @Test(
        "RFC 6749 OpenID Connect Core: a library signs in, checks the ID token, refreshes and revokes",
        arguments: [["authlib", "app"], ["authlib", "web", secret], ["authlib-key"], ["requests-oauthlib", "app"]])
    func signIn(_ client: [String]) async throws {
        try await withGateway { gateway, _ in
            let result = try await Self.run([client[0], gateway.address] + client.dropFirst())
            #expect(result["email"] == .string(SystemFixture.email))
            if client[0].hasPrefix("authlib") { #expect(result["after_revocation"] == 401) }
        }
    }

    @Test("RFC 7591 OX-6 `latch` registers itself at the gateway, signs in, asks who is signed in, and signs out")
    func latch() async throws {
        try await withGateway { gateway, _ in
            let client = try SystemFixture(["LATCH_SECRETS": "file", "LATCH_BROWSER": "true"])
            let login = try RunningProgram(
                Products.path("latch"), ["login", gateway.address, "--browser"], environment: client.environment)
            let line = try await login.line(containing: "/oauth2/authorize?")
            try await Self.follow(line.trimmingCharacters(in: .whitespaces))
            #expect(await login.waitForExit() == 0, "\(login.output)")
            #expect(login.output.contains("as \(SystemFixture.email)"))
            let whoami = try await client.latch("whoami")
            #expect(whoami.output.contains("checked with the server now"), "\(whoami)")
            let logout = try await client.latch("logout")
            #expect(logout.status == 0 && !logout.errors.contains("was not ended"), "\(logout)")
        }
    }

    @Test(
        "RFC 9728 RFC 8707 RFC 7591 the client of the Model Context Protocol signs in from a protected address alone",
        arguments: [["app"], []])
    func protectedAddress(_ client: [String]) async throws {
        try await withProxy { _, address in
            let result = try await Self.run(["mcp", address] + client)
            #expect(result["status"] == 200)
        }
    }

    @Test("RFC 6750 §3.1 behind nginx a client learns the scope that its token lacks")
    func scope() async throws {
        try await withProxy { gateway, address in
            let result = try await Self.run(
                ["authlib-protected", gateway.address, address, "app", address + "/notes/1"])
            #expect(result["status"] == 200 && result["other_status"] == 403)
            let challenge = result["challenge"]?.string ?? ""
            #expect(challenge.contains(#"error="insufficient_scope", scope="notes.read""#), "\(challenge)")
        }
    }

    @Test("RFC 9728 §2 OX-6 `latch` asks for the scopes of a protected address, and reaches what needs them")
    func latchScope() async throws {
        try await withProxy { _, address in
            let client = try SystemFixture(["LATCH_SECRETS": "file", "LATCH_BROWSER": "true"])
            let login = try RunningProgram(
                Products.path("latch"), ["login", address, "--browser"], environment: client.environment)
            let line = try await login.line(containing: "/oauth2/authorize?")
            try await Self.follow(line.trimmingCharacters(in: .whitespaces))
            #expect(await login.waitForExit() == 0, "\(login.output)")
            let response = try await client.latch("request", "GET", "/notes/1")
            #expect(response.status == 0, "\(response)")
        }
    }

    /// Starts a gateway, and nginx that protects a backend with it.
    private func withProxy(_ body: (RunningGateway, _ address: String) async throws -> Void) async throws {
        try await withGateway { gateway, folder in
            let backend = try RunningProgram(
                "/usr/bin/env", ["python3", Products.packageFolder + "/Tests/Programs/EchoBackend/echo_backend.py"],
                environment: ["PATH": ProxyFixture.path, "PYTHONDONTWRITEBYTECODE": "1"])
            let line = try await backend.line(containing: "backend on ")
            let port = try #require(line.split(separator: " ").last)
            let proxy = try await Self.nginx(folder, backend: String(port))
            try await attempt {
                try await body(gateway, "http://127.0.0.1:\(Self.proxyPort)/mcp")
            } finally: {
                for program in [proxy, backend] {
                    program.send(SIGTERM)
                    await program.waitForExit()
                }
            }
        }
    }

    private func withGateway(_ body: (RunningGateway, TemporaryDirectory) async throws -> Void) async throws {
        let folder = try TemporaryDirectory()
        let configuration = """
            public_url: http://127.0.0.1:\(Self.gatewayPort)
            trusted_proxies: [127.0.0.1]
            pages: {enabled: true}
            dialects: {onyx: {enabled: false}}
            verify: {enabled: true}
            access:
              notes: {hosts: "127.0.0.1:\(Self.proxyPort)", paths: /mcp/notes/*, scopes: notes.read}
              app: {hosts: "127.0.0.1:\(Self.proxyPort)"}
            oauth:
              enabled: true
              registration: {enabled: true}
              clients:
                app: {name: An app, redirects: ["http://127.0.0.1/callback"]}
                web: {name: A web application, redirects: ["http://127.0.0.1/callback"], secret: \(Self.secret)}

            """
        try folder.write(configuration, to: "latchd.yaml")
        let base = try SystemFixture(["LATCHD_CONFIG": folder.file("latchd.yaml")])
        let gateway = try await base.startGateway(port: Self.gatewayPort)
        try await attempt {
            let added = try await base.latchd(
                "user", "add", SystemFixture.email, "--admin", "--password-stdin",
                input: SystemFixture.password + "\n")
            #expect(added.status == 0, "\(added.errors)")
            try await body(gateway, folder)
        } finally: {
            gateway.program.send(SIGTERM)
            await gateway.program.waitForExit()
        }
    }

    /// Runs a program with a library. Signs the person in in a browser, allows the client, and returns what the program
    /// got.
    private static func run(_ arguments: [String]) async throws -> JSONValue {
        let python = Products.packageFolder + "/.build/oauth-clients/bin/python"
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw ChildProcess.Failure("The OAuth client libraries are not installed: run scripts/oauth-clients.")
        }
        let script = Products.packageFolder + "/Tests/Programs/OAuthClients/oauth_client.py"
        let folder = try TemporaryDirectory()
        let program = try RunningProgram(
            python, [script] + arguments,
            environment: ["PATH": ProxyFixture.path, "HOME": folder.path, "PYTHONDONTWRITEBYTECODE": "1"])
        let line = try await program.line(containing: "open http")
        try await follow(String(try #require(line.split(separator: " ").last)))
        let result = try await program.line(containing: "{")
        #expect(await program.waitForExit() == 0)
        return try JSONValue(parsing: Array(result.utf8))
    }

    /// Signs the person in in a browser, and allows the client.
    private static func follow(_ url: String) async throws {
        let http = try HTTPClient()
        let answers = [
            "username": SystemFixture.email, "password": SystemFixture.password, "decision": "allow",
        ]
        let query = try FormURLEncoded.decode(String(url.split(separator: "?", maxSplits: 1).last ?? ""))
        let end = try await FormBrowser(http).follow(url, answers: answers, until: try #require(query["redirect_uri"]))
        _ = try await http.send(ClientRequest(url: end))
        await http.close()
    }

    /// Starts nginx with the operators' files, at an address with a port, which they leave out.
    private static func nginx(_ folder: TemporaryDirectory, backend: String) async throws -> RunningProgram {
        let source = Products.packageFolder + "/Integrations/nginx"
        for name in try FileManager.default.contentsOfDirectory(atPath: source) {
            let text = try String(contentsOfFile: "\(source)/\(name)", encoding: .utf8)
                .replacing("unix:/run/latchd/latchd.sock", with: "127.0.0.1:\(gatewayPort)")
                .replacing("127.0.0.1:2283", with: "127.0.0.1:\(gatewayPort)")
                .replacing("127.0.0.1:8080", with: "127.0.0.1:\(backend)")
                .replacing("listen 80;", with: "listen 127.0.0.1:\(proxyPort);")
                .replacing("server_name app.example.org;", with: "server_name 127.0.0.1;")
                .replacing("$host;", with: "$http_host;")
            try folder.write(text, to: name)
        }
        try folder.write(
            ProxyKind.nginxAround(folder, "include latchd-http.conf;\ninclude app.example.org.conf;"),
            to: "nginx.conf")
        let program = try RunningProgram(
            "/usr/bin/env", ["nginx", "-p", folder.path, "-c", folder.file("nginx.conf"), "-e", "stderr"],
            environment: ["PATH": ProxyFixture.path])
        _ = try await program.line(containing: "event method")
        return program
    }
}
