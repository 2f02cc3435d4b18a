import FoundationEssentials
import HTTPClient
import HTTPMessages
import LatchSandbox
import TestSupport
import Testing

/// The sandbox's backend that knows nothing of sign-in, as an app and a browser find it.
@Suite(.timeLimit(.minutes(20))) struct BackendTests {
    private func post(
        _ http: HTTPClient, _ url: String, _ fields: [(String, String)], _ headers: HTTPHeaders = [:]
    ) async throws -> ClientResponse {
        var headers = headers
        headers["Content-Type"] = FormURLEncoded.mediaType
        return try await http.send(
            ClientRequest(
                method: .post, url: url, headers: headers, body: Array(FormURLEncoded.encode(fields).utf8)))
    }

    /// Signs somebody in at the server that the metadata name, and gives what an app sends from then on.
    private func bearer(_ http: HTTPClient, _ server: String, _ name: String) async throws -> HTTPHeaders {
        let response = try await post(
            http, server + "/auth/mobile/login",
            [("username", "\(name)@example.org"), ("password", "\(name)-plays-in-the-sandbox")])
        let token = try #require(try JSONValue(parsing: response.body)["access_token"]?.string)
        return ["Authorization": "Bearer \(token)"]
    }

    @Test("RFC 9728 an app discovers the sign-in from the refusal, signs in there, and the backend gets its identity")
    func found() async throws {
        try await Sandbox.with { sandbox, http in
            let address = sandbox.protected + "/photos?a=1"
            let refused = try await http.send(ClientRequest(url: address))
            #expect(refused.status == .unauthorized)
            let challenge = try #require(refused.headers["WWW-Authenticate"])
            let named = try #require(challenge.split(separator: "resource_metadata=\"").last?.dropLast())

            let metadata = try JSONValue(parsing: await http.send(ClientRequest(url: String(named))).body)
            #expect(metadata["resource"]?.string == sandbox.protected + "/photos")
            let server = try #require(metadata["latchd_server"]?.string)
            #expect(server == sandbox.url(of: "backend").map { $0 + "/api" })
            let wellKnown = server.replacing("/api", with: "/.well-known/latchd/api")
            let known = try JSONValue(parsing: await http.send(ClientRequest(url: wellKnown)).body)
            #expect(known["issuer"]?.string == server)

            let signedIn = try await http.send(ClientRequest(url: address, headers: bearer(http, server, "ada")))
            #expect(signedIn.status == .ok)
            let seen = try JSONValue(parsing: signedIn.body)
            #expect(seen["email"]?.string == "ada@example.org" && seen["user"]?.string?.utf8.count == 36)
            #expect(seen["name"]?.string == "Ada%20Lovelace" && seen["session"]?.string?.utf8.count == 12)
            #expect(seen["method"]?.string == "GET" && seen["path"]?.string == "/backend/photos?a=1")
        }
    }

    @Test("Some paths are public, some only for Ada, and no spelling of a path bypasses that")
    func rules() async throws {
        try await Sandbox.with { sandbox, http in
            let server = try #require(sandbox.url(of: "backend")) + "/api"
            let ada = try await bearer(http, server, "ada")
            let bob = try await bearer(http, server, "bob")
            let rows: [(path: String, none: Int, bob: Int, ada: Int)] = [
                ("", 401, 200, 200), ("/", 401, 200, 200), ("/photos", 401, 200, 200), ("/public/x", 200, 200, 200),
                ("/ada/x", 401, 403, 200), ("/public%2fx", 400, 400, 400), ("/ada%3Fx", 400, 400, 400),
                ("/public/%2e%2e/ada", 400, 400, 400), ("/public;/x", 400, 400, 400), ("//ada/x", 400, 400, 400),
            ]
            for row in rows {
                let all: [(HTTPHeaders, Int)] = [([:], row.none), (bob, row.bob), (ada, row.ada)]
                for (headers, status) in all {
                    let response = try await http.send(
                        ClientRequest(url: sandbox.protected + row.path, headers: headers))
                    #expect(response.status.rawValue == status, "\(row.path)")
                }
            }
            let everybody = try await http.send(
                ClientRequest(method: .post, url: sandbox.protected + "/public/x", headers: ["X-Auth-User": "root"]))
            let seen = try JSONValue(parsing: everybody.body)
            #expect(seen["method"]?.string == "POST" && seen["user"] == .null)
        }
    }

    @Test("A browser is redirected to the page, signs in there and returns with its cookie")
    func browser() async throws {
        try await Sandbox.with { sandbox, http in
            let root = try #require(sandbox.url(of: "backend"))
            let page: HTTPHeaders = ["Accept": "text/html", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"]
            let sent = try await http.send(ClientRequest(url: sandbox.protected + "/photos", headers: page))
            #expect(sent.status == .found)
            let form = try #require(sent.headers["Location"])
            #expect(form == root + "/latch/sign-in?return=%2Fbackend%2Fphotos")

            let shown = try await http.send(ClientRequest(url: form, headers: page))
            let html = String(decoding: shown.body, as: UTF8.self)
            let token = try #require(html.split(separator: "name=\"form_token\" value=\"").last?.prefix { $0 != "\"" })
            let done = try await post(
                http, root + "/latch/sign-in",
                [
                    ("form_token", String(token)), ("return", "/backend/photos"), ("username", "ada@example.org"),
                    ("password", "ada-plays-in-the-sandbox"),
                ], ["Cookie": cookies(of: shown), "Sec-Fetch-Site": "same-origin"])

            let continuing = String(decoding: done.body, as: UTF8.self)
            #expect(done.status == .ok && continuing.contains("content=\"0;url=/backend/photos\""))
            var back = page
            back["Cookie"] = cookies(of: done)
            let seen = try await http.send(ClientRequest(url: sandbox.protected + "/photos", headers: back))
            #expect(try JSONValue(parsing: seen.body)["email"]?.string == "ada@example.org")
        }
    }

    private func cookies(of response: ClientResponse) -> String {
        response.headers.values("Set-Cookie").map { $0.prefix { $0 != ";" } }.filter { !$0.hasSuffix("=") }
            .joined(separator: "; ")
    }
}
