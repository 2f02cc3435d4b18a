import Foundation
import HTTPClient
import HTTPMessages
import LatchSandbox
import ServerMessages
import TestSupport
import Testing

/// The whole sandbox in the test's own process.
@Suite(.timeLimit(.minutes(20))) struct SandboxTests {
    private func logIn(_ http: HTTPClient, _ url: String, _ email: String, _ password: String) async throws
        -> HTTPStatus
    {
        try await http.send(
            ClientRequest(
                method: .post, url: url + "/api/auth/mobile/login",
                headers: ["Content-Type": FormURLEncoded.mediaType],
                body: Array(FormURLEncoded.encode([("username", email), ("password", password)]).utf8))
        ).status
    }

    @Test("The JSON line contains every dialect, the issuer and the people who can sign in")
    func json() async throws {
        try await Sandbox.with { sandbox, http in
            let json = sandbox.json
            #expect(json.members?.map(\.name) == Sandbox.dialects + ["protected", "issuer", "users"])
            #expect(json["protected"]?["url"]?.string == sandbox.protected && !sandbox.protected.isEmpty)
            for name in Sandbox.portNames {
                let url = try #require(json[name]?["url"]?.string)
                #expect(url.hasPrefix("http://127.0.0.1:") && !url.hasSuffix("/"))
            }
            #expect(json["issuer"]?["url"]?.string == sandbox.provider.issuer)
            for user in try #require(json["users"]?.array) {
                #expect(user.members?.map(\.name) == ["email", "password"])
            }
            let onyx = try #require(json["onyx"]?["url"]?.string)
            let response = try await http.send(ClientRequest(url: onyx + "/api/auth/type"))
            #expect(response.status == .ok)
        }
    }

    @Test("IM-5, IM-7 an Immich client finds the sandbox, signs in with a password, and is redirected to the provider")
    func immich() async throws {
        try await Sandbox.with { sandbox, http in
            let url = try #require(sandbox.url(of: "immich"))
            let known = try await http.send(ClientRequest(url: url + "/.well-known/immich"))
            #expect(try JSON.decode(ImmichWellKnown.self, from: known.body).api.endpoint == "/api")
            func send(_ path: String, _ body: some Encodable) async throws -> ClientResponse {
                try await http.send(
                    ClientRequest(
                        method: .post, url: url + "/api" + path, headers: ["Content-Type": "application/json"],
                        body: JSON.encode(body)))
            }
            let ada = sandbox.people[0]
            let response = try await send("/auth/login", ImmichLogin(email: ada.email, password: ada.password))
            #expect(response.status == .created)
            #expect(try JSON.decode(ImmichLoginResponse.self, from: response.body).isAdmin)
            let authorization = ImmichAuthorization(redirectUri: "app.immich:///oauth-callback")
            let started = try await send("/oauth/authorize", authorization)
            let start = try JSON.decode(ImmichAuthorizationResponse.self, from: started.body).url
            let sent = try await http.send(ClientRequest(url: start))
            #expect(sent.status == .found)
            #expect(sent.headers["Location"]?.hasPrefix(sandbox.provider.issuer) == true)
        }
    }

    @Test("Only the printed people can sign in with the password")
    func people() async throws {
        try await Sandbox.with { sandbox, http in
            for person in sandbox.people {
                let url = try #require(sandbox.url(of: "onyx"))
                let status = try await logIn(http, url, person.email, person.password)
                #expect(status == (person.place == .everywhere ? .ok : .badRequest), "\(person.email)")
            }
            #expect(sandbox.people.contains { $0.place == .provider })
            #expect(sandbox.people.contains { $0.place == .disabled })
        }
    }

    @Test("All its files are in one private folder, which is deleted at the end")
    func folder() async throws {
        var folder = ""
        try await Sandbox.with { sandbox, _ in
            folder = sandbox.folder
            let mode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
            #expect(mode == 0o700)
            #expect(FileManager.default.fileExists(atPath: folder + "/onyx.db"))
        }
        #expect(!folder.isEmpty && !FileManager.default.fileExists(atPath: folder))
    }

    @Test("Two sandboxes can run at the same time")
    func two() async throws {
        try await Sandbox.with { one, _ in
            try await Sandbox.with { other, _ in
                #expect(one.folder != other.folder && one.provider.issuer != other.provider.issuer)
            }
        }
    }

    @Test("A requested port is used, and an error if it is in use")
    func ports() async throws {
        try await Sandbox.with { sandbox, _ in
            let port = try #require(sandbox.url(of: "onyx")?.split(separator: ":").last.flatMap { UInt16($0) })
            var configuration = Sandbox.Configuration()
            configuration.ports = ["onyx": port]
            await #expect(throws: (any Error).self) { _ = try await Sandbox.open(configuration) }
        }
        var configuration = Sandbox.Configuration()
        configuration.ports = ["onix": 1]
        let error = await #expect(throws: SandboxError.self) { _ = try await Sandbox.open(configuration) }
        #expect(error?.code == .invalidPort && error?.message.contains("issuer, onyx, timetracker") == true)
    }

    @Test(
        "An address that is not loopback is refused before anything is created",
        arguments: ["0.0.0.0", "::", "10.0.0.1"])
    func loopbackOnly(_ host: String) async throws {
        var configuration = Sandbox.Configuration()
        configuration.host = host
        let error = await #expect(throws: SandboxError.self) { _ = try await Sandbox.open(configuration) }
        #expect(error?.code == .notLoopback)
    }
}
