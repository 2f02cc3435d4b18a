import Foundation
import HTTPClient
import HTTPMessages
import OAuth
import TestSupport
import Testing

/// Whole sign-ins with the built gateway at identity providers that others wrote.
@Suite("Third-party identity providers", .blocking, .inTurn, .timeLimit(.minutes(4)))
struct ExternalProviderTests {
    /// What browsers would call the gateway; it listens at another port, as behind a proxy.
    private static let publicURL = "http://127.0.0.1:9"
    private static let callback = publicURL + "/api/auth/oauth/callback"

    /// How a provider's pages are answered.
    private static let answers = [
        "canaille": ["login": "ada", "password": ExternalProvider.password, "answer": "accept"],
        "allauth": [
            "login": ExternalProvider.email, "password": ExternalProvider.password, "scopes": "*", "action": "grant",
        ],
    ]

    @Test(
        "OX-2 to OX-5, OX-7 a person signs in at a provider, consents, and /me accepts the app's token",
        arguments: ["canaille", "allauth"])
    func signIn(_ name: String) async throws {
        let provider = try await ExternalProvider(name, redirect: Self.callback)
        let variable = "LATCHD_PROVIDERS_\(name.uppercased())_"
        let fixture = try SystemFixture([
            "LATCHD_PUBLIC_URL": Self.publicURL, variable + "ISSUER": provider.issuer,
            variable + "CLIENT_ID": ExternalProvider.client, variable + "CLIENT_SECRET": ExternalProvider.secret,
            variable + "REGISTRATION": name == "allauth" ? "open" : "none",
            // The providers are slow to answer their first requests.
            variable + "TIMEOUT": "60s",
        ])
        let checked = try await fixture.latchd("providers", "check")
        #expect(checked.status == 0 && checked.output.contains(Self.callback), "\(checked)")
        // The provider tells a client that it knows from a code that it does not.
        #expect(checked.output.contains("  client  known"), "\(checked)")
        let wrong = SystemFixture(sharing: fixture, [variable + "CLIENT_SECRET": "not the secret of this client"])
        let refused = try await wrong.latchd("providers", "check")
        // Canaille breaks down over a wrong secret, with 500; that is told as it is.
        let message = name == "canaille" ? "status 500" : "check the client id, the secret"
        #expect(refused.status == 69 && refused.output.contains(message), "\(refused)")
        if name == "canaille" {
            // It does not say whether it has verified an address.
            _ = try await fixture.latchd("user", "add", ExternalProvider.email, "--invite")
            let linked = try await fixture.latchd("user", "link", ExternalProvider.email, name, "ada", "--force")
            #expect(linked.status == 0, "\(linked)")
        }
        let gateway = try await fixture.startGateway()
        let http = try HTTPClient()

        let token = try await Self.token(gateway, http, name)
        let app = BrowserlessSignIn(onyx: gateway.address, http: http)
        let me = try await app.me(token)
        #expect(try JSONValue(parsing: me.body)["email"]?.string == ExternalProvider.email)
        // The second time it is the same person, who is refused once disabled: the token, and the provider's word too.
        #expect(try await app.me(Self.token(gateway, http, name)).status == .ok)
        let shown = try await fixture.latchd("user", "show", ExternalProvider.email, "--json")
        let json = try shown.json()
        #expect(json["identities"]?.array?.map { $0["provider"]?.string } == [name])
        _ = try await fixture.latchd("user", "disable", ExternalProvider.email)
        let link = try await Self.signIn(gateway, http, name, app)
        #expect(link["error"] == "access_denied" && link["code"] == nil)

        await http.close()
        await gateway.kill()
        await provider.end()
    }

    @Test("`latch` itself signs in at a provider, asks it who is signed in, and signs out there")
    func client() async throws {
        let provider = try await ExternalProvider("allauth", redirect: Self.callback)
        let fixture = try SystemFixture(["LATCH_SECRETS": "file", "LATCH_BROWSER": "true"])
        let login = try RunningProgram(
            Products.path("latch"),
            ["login", provider.issuer, "--client-id", ExternalProvider.nativeClient],
            environment: fixture.environment)
        let address = try await login.line(containing: "/identity/o/authorize?").trimmingCharacters(in: .whitespaces)
        let query = try FormURLEncoded.decode(String(address.drop { $0 != "?" }.dropFirst()))
        let http = try HTTPClient()
        let link = try await FormBrowser(http).follow(
            address, answers: Self.answers["allauth"] ?? [:], until: try #require(query["redirect_uri"]))
        #expect(try await http.send(ClientRequest(url: link)).status == .ok)
        #expect(await login.waitForExit() == 0, "\(login.output)")
        #expect(login.output.contains("as \(ExternalProvider.email)"))

        let whoami = try await fixture.latch("whoami")
        #expect(whoami.output.contains("checked with the server now"), "\(whoami)")
        let logout = try await fixture.latch("logout")
        #expect(logout.status == 0 && !logout.errors.contains("was not ended"), "\(logout)")
        await http.close()
        await provider.end()
    }

    /// A sign-in to the end.
    private static func token(_ gateway: RunningGateway, _ http: HTTPClient, _ name: String) async throws -> String {
        let app = BrowserlessSignIn(onyx: gateway.address, http: http)
        let link = try await signIn(gateway, http, name, app)
        #expect(link["state"] == app.state.text)
        let response = try await app.exchange(link["code"] ?? "")
        let comment = "\(link["error_description"] ?? "") \(gateway.program.output.suffix(2_000))"
        return try #require(try JSONValue(parsing: response.body)["access_token"]?.string, "\(comment)")
    }

    /// A sign-in to the app's deep link.
    ///
    /// Canaille's access tokens tell whole seconds and nothing else that changes: it cannot keep two of one second and
    /// answers 500, so whoever comes back too soon tries again.
    private static func signIn(
        _ gateway: RunningGateway, _ http: HTTPClient, _ name: String, _ app: BrowserlessSignIn
    ) async throws -> FormFields {
        var link = FormFields()
        for _ in 0..<40 {
            link = try await attempt(gateway, http, name, app)
            if link["error"] != "temporarily_unavailable" { break }
        }
        return link
    }

    private static func attempt(
        _ gateway: RunningGateway, _ http: HTTPClient, _ name: String, _ app: BrowserlessSignIn
    ) async throws -> FormFields {
        let started = try await app.begin()
        let back = try await FormBrowser(http).follow(
            started.providerURL, answers: answers[name] ?? [:], until: callback)
        let end = try await app.callBack(
            gateway.address + back.dropFirst(publicURL.count), cookie: started.cookie)
        return try #require(try BrowserlessSignIn.deepLink(end))
    }
}
