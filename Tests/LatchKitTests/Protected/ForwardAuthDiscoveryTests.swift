import Crypto
import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import LatchKit

/// What of a protected address is believed about who signs people in to it.
@Suite(.timeLimit(.minutes(20))) struct ForwardAuthDiscoveryTests {
    /// What a server answers with, `SELF` for its own address and `GATEWAY` for the gateway's.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var status = 401
        var challenge: String?
        var metadata: String?
        var refusal: String?
        var testDescription: String { name }
    }

    private static let good =
        #"{"resource":"SELF","latchd_server":"GATEWAY/api","bearer_methods_supported":["header"]}"#
    private static let named = #"Bearer realm="x", resource_metadata="SELF/.well-known/oauth-protected-resource""#

    static let cases: [Case] = [
        Case(name: "a challenge that names them", challenge: named, metadata: good),
        Case(name: "a challenge after another one", challenge: #"Negotiate abc==, "# + named, metadata: good),
        Case(name: "no challenge, the usual place", status: 200, metadata: good),
        Case(name: "a refusal without a challenge", status: 403, metadata: good),
        Case(
            name: "a slash for the empty path", challenge: named,
            metadata: #"{"resource":"SELF/","latchd_server":"GATEWAY/api"}"#),
        Case(
            name: "metadata of another address", challenge: named,
            metadata: #"{"resource":"https://app.example.org","latchd_server":"GATEWAY/api"}"#,
            refusal: "are about 'https://app.example.org'"),
        Case(
            name: "metadata on another host",
            challenge: #"Bearer resource_metadata="https://evil.example/.well-known/oauth-protected-resource""#,
            metadata: good, refusal: "on another host"),
        Case(
            name: "metadata on a host whose name begins alike",
            challenge: #"Bearer resource_metadata="SELF.evil.example/x""#, metadata: good, refusal: "on another host"),
        Case(
            name: "a user's name before another host", challenge: #"Bearer resource_metadata="SELF@evil.example/x""#,
            metadata: good, refusal: "on another host"),
        Case(
            name: "a server of OAuth alone", challenge: named,
            metadata: #"{"resource":"SELF","authorization_servers":["GATEWAY/api"]}"#,
            refusal: "name no sign-in server"),
        Case(
            name: "servers are missing", challenge: named, metadata: #"{"resource":"SELF"}"#,
            refusal: "name no sign-in server"),
        Case(
            name: "a server that is no text", challenge: named,
            metadata: #"{"resource":"SELF","latchd_server":7}"#, refusal: "name no sign-in server"),
        Case(
            name: "a gateway without encryption", challenge: named,
            metadata: #"{"resource":"SELF","latchd_server":"http://id.example.org/api"}"#,
            refusal: "its gateway cannot be used"),
        Case(
            name: "a gateway with a user's name", challenge: named,
            metadata: #"{"resource":"SELF","latchd_server":"https://a:b@id.example.org/api"}"#,
            refusal: "its gateway cannot be used"),
        Case(
            name: "tokens in bodies only", challenge: named,
            metadata:
                #"{"resource":"SELF","latchd_server":"GATEWAY/api","bearer_methods_supported":["body"]}"#,
            refusal: "header fields"),
        Case(name: "no metadata", challenge: named, refusal: "no sign-in metadata"),
        Case(name: "a page", challenge: named, metadata: "<!doctype html>", refusal: "the response is a web page"),
        Case(
            name: "a gateway that is none", challenge: named,
            metadata: #"{"resource":"SELF","latchd_server":"SELF/api"}"#,
            refusal: "was not recognized: "),
    ]

    @Test("RFC 9728 §3.3 metadata are accepted only if they are complete and belong to the address", arguments: cases)
    func validMetadata(_ example: Case) async throws {
        let onyx = OnyxScript()
        let gateway = try ScriptedServer { onyx.response($0) }
        let address = Box()
        let fill: @Sendable (String) -> String = { text in
            text.replacing("SELF", with: address.text).replacing("GATEWAY", with: "http://127.0.0.1:\(gateway.port)")
        }
        let app = try ScriptedServer { request in
            if request.path == "/.well-known/oauth-protected-resource" {
                return example.metadata.map { .json(fill($0)) } ?? .json("{}", 404)
            }
            guard request.path == "/" else { return .json("{}", 404) }
            let challenge = example.challenge.map { ["WWW-Authenticate": fill($0)] as HTTPHeaders }
            return ScriptedServer.Response(status: example.status, headers: challenge ?? [:])
        }
        address.text = "http://127.0.0.1:\(app.port)"
        let home = try HomeFixture()
        let latch = try await home.open()

        let report = try await latch.probe(ServerAddress(address.text))

        guard let refusal = example.refusal else {
            #expect(report.server?.dialect.id.rawValue == "latchd", "\(String(describing: report.failure))")
            return
        }
        #expect(report.server == nil && report.failure?.message.contains(refusal) == true, "\(report.steps)")
        #expect(app.requests.allSatisfy { $0.token == nil } && gateway.requests.allSatisfy { $0.token == nil })
    }

    @Test(
        "hosts without a common domain cause a warning before the sign-in",
        arguments: [
            ("app.example.org", "id.example.org", true), ("example.org", "id.example.org", true),
            ("example.org", "example.org", true), ("localhost", "localhost", true),
            ("app.example.org", "example.com", false), ("a.org", "b.org", false), ("127.0.0.1", "127.0.0.2", false),
            ("::1", "127.0.0.1", false), ("localhost", "127.0.0.1", false),
        ])
    func related(_ one: String, _ other: String, _ areRelated: Bool) {
        #expect(ForwardAuthDialect.areRelated(one, other) == areRelated)
        #expect(ForwardAuthDialect.areRelated(other, one) == areRelated)
    }

    @Test("a gateway address without TLS is accepted only on loopback")
    func unencrypted() throws {
        #expect(ForwardAuthDialect.gateway("http://id.example.org/api") == nil)
        #expect(ForwardAuthDialect.gateway("id.example.org") == nil)
        #expect(ForwardAuthDialect.gateway("https://id.example.org/api")?.url == "https://id.example.org")
        #expect(ForwardAuthDialect.gateway("http://127.0.0.1:1/api")?.url == "http://127.0.0.1:1")
    }

    @Test("extra headers of the protected host are not sent to a gateway on another host")
    func headers() async throws {
        let onyx = OnyxScript()
        let gateway = try ScriptedServer { onyx.response($0) }
        let address = Box()
        let app = try ScriptedServer { request in
            request.path == "/.well-known/oauth-protected-resource"
                ? .json(
                    #"{"resource":"\#(address.text)","latchd_server":"http://127.0.0.1:\#(gateway.port)/api"}"#
                )
                : .json("{}", request.token == nil ? 404 : 200)
        }
        address.text = "http://localhost:\(app.port)"
        let home = try HomeFixture()
        let latch = try await home.open()
        let server = try await latch.probe(
            ServerAddress(address.text), connection: .init(extraHeaders: ["X-Key": "open sesame"])
        ).requireServer()
        let account = try await latch.signIn(
            PasswordSignIn(email: "ada@example.org", password: Secret("correct horse")), to: server)
        _ = try await latch.session(for: account).client.send(.get, "/things")
        _ = try await latch.signOut(account)

        #expect(gateway.requests.allSatisfy { $0.headers["X-Key"] == nil } && !gateway.requests.isEmpty)
        #expect(app.requests.allSatisfy { $0.headers["X-Key"] == "open sesame" })
        #expect(app.requests.filter { $0.token != nil }.map(\.path) == ["/things"])
    }
}

/// An address that is known once its server runs.
final class Box: @unchecked Sendable {
    // Set once, before anybody asks the server.
    var text = ""
}
