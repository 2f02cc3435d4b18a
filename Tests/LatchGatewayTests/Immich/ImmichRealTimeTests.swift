import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import TestSupport
import Testing
import WebSockets

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchGateway

/// Immich's real-time connection over raw sockets.
@Suite("The real-time connection of Immich", .blocking, .timeLimit(.minutes(5)))
struct ImmichRealTimeTests {
    /// A way in which a session ends.
    struct Ending: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let end: @Sendable (ImmichFixture, _ token: String) async throws -> Void

        init(_ name: String, _ end: @escaping @Sendable (ImmichFixture, _ token: String) async throws -> Void) {
            testDescription = name
            self.end = end
        }
    }

    static let endings = [
        Ending("the person signs out") { fixture, token in _ = try await fixture.send("POST", "/auth/logout", token) },
        Ending("the person ends the session from another device") { fixture, _ in
            let (id, other) = (try await fixture.session().uuid.uuidString.lowercased(), try await fixture.token())
            #expect(try await fixture.send("DELETE", "/sessions/\(id)", other).status == 204)
        },
        Ending("the password is changed on another device") { fixture, _ in
            let body: JSONValue = ["password": .string(GatewayFixture.password), "newPassword": "correct horse 8"]
            let other = try await fixture.token()
            #expect(try await fixture.send("POST", "/auth/change-password", other, body).status == 200)
        },
        Ending("an administrator ends the session") { fixture, _ in
            try await fixture.base.gateway.stores.sessions.revoke(fixture.session())
        },
        Ending("the person is signed out everywhere") { fixture, _ in
            try await fixture.base.gateway.stores.sessions.revokeAll(of: fixture.person().id)
        },
        Ending("the person is disabled") { fixture, _ in
            _ = try await fixture.base.gateway.stores.people.disable(fixture.person().id)
        },
        Ending("the person is removed") { fixture, _ in
            _ = try await fixture.base.gateway.stores.people.remove(fixture.person().id)
        },
        Ending("the session expires") { fixture, _ in
            fixture.base.clock.advance(400 * day)
        },
        Ending("another process ends the session") { fixture, _ in
            let other = try await fixture.base.otherProcess()
            try await other.sessions.revoke(fixture.session())
            await other.close()
        },
        Ending("the person signs out at another gateway on the same database") { fixture, token in
            let other = try await Gateway(fixture.base.otherProcess())
            #expect(try await other.issuer.end(token) != nil)
            await other.close()
        },
    ]

    private func with(_ body: (ImmichFixture) async throws -> Void) async throws {
        try await ImmichFixture.with { fixture in
            let gateway = fixture.base.gateway
            let running = Task { try await gateway.run() }
            defer { running.cancel() }
            try await body(fixture)
        }
    }

    private static let path = "/immich/api/socket.io/?EIO=4&transport=websocket"

    private func open(
        _ fixture: ImmichFixture, _ token: String?, in place: ImmichFixture.Place = .bearer,
        headers: [(String, String)] = []
    ) throws -> WebSocketPeer {
        let peer = try WebSocketPeer(
            RawSocket(port: Int(fixture.base.http.port)), Self.path, headers: headers + (token.map(place.fields) ?? []))
        #expect(try peer.text()?.hasPrefix(#"0{"#) == true)
        return peer
    }

    /// Opens a connection and connects it to the namespace.
    private func connect(
        _ fixture: ImmichFixture, _ token: String?, in place: ImmichFixture.Place = .bearer
    ) throws -> WebSocketPeer {
        let peer = try open(fixture, token, in: place)
        try peer.send("40")
        #expect(try peer.text()?.hasPrefix(#"40{"sid":"#) == true)
        return peer
    }

    private static let version =
        #"42["on_server_version",{"major":3,"minor":1,"patch":0,"prerelease":null}]"#

    @Test("IM-6 a session's connection gets on_session_delete and is closed", arguments: endings)
    func sessionEnd(_ ending: Ending) async throws {
        try await with { fixture in
            let token = try await fixture.token()
            let id = try await fixture.session().uuid.uuidString.lowercased()
            let peer = try connect(fixture, token)
            #expect(try peer.text() == Self.version)
            try await ending.end(fixture, token)
            #expect(try peer.text() == #"42["on_session_delete","\#(id)"]"#)
            #expect(try peer.text() == "41")
            #expect(try peer.next() == .close(1000))
        }
    }

    @Test("IM-6 the end of one session leaves the connections of the others open")
    func otherSessions() async throws {
        try await with { fixture in
            let (first, second) = (try await fixture.token(), try await fixture.token())
            let peers = try [first, second].map { try connect(fixture, $0) }
            for peer in peers { #expect(try peer.text() == Self.version) }
            _ = try await fixture.send("POST", "/auth/logout", first)
            #expect(try peers[0].text()?.contains("on_session_delete") == true)
            // The answer shows that the other connection is open and got no event before.
            try peers[1].send("40/other,")
            #expect(try peers[1].text() == #"44/other,{"message":"Invalid namespace"}"#)
        }
    }

    @Test(
        "IM-6 the handshake takes the token from every place of the other routes",
        arguments: ImmichFixture.Place.allCases)
    func places(_ place: ImmichFixture.Place) async throws {
        try await with { fixture in
            let peer = try await connect(fixture, fixture.token(), in: place)
            #expect(try peer.text() == Self.version)
        }
    }

    @Test(
        "IM-6 a handshake without a valid token gets the error 'unauthorized' and is closed", arguments: [nil, "wrong"])
    func unauthorized(_ token: String?) async throws {
        try await with { fixture in
            let peer = try connect(fixture, token)
            #expect(try peer.text() == #"42["error","unauthorized"]"#)
            #expect(try peer.text() == "41")
            #expect(try peer.next() == .close(1000))
        }
    }

    @Test("IM-6 a page of another site cannot connect with a person's cookie")
    func foreignOrigin() async throws {
        try await with { fixture in
            let token = try await fixture.token()
            let refused = #expect(throws: WebSocketPeer.Refused.self) {
                try open(fixture, token, in: .cookie, headers: [("Origin", "https://evil.example.org")])
            }
            #expect(refused?.head.hasPrefix("HTTP/1.1 403 ") == true)
            let own = try open(fixture, token, in: .cookie, headers: [("Origin", "http://127.0.0.1")])
            try own.close()
        }
    }

    @Test("IM-6 other transports and versions are refused, and so is a request that is no upgrade")
    func refusals() async throws {
        try await with { fixture in
            let polling = try await fixture.send("GET", "/socket.io/?EIO=4&transport=polling")
            #expect(polling.status == 400)
            #expect(polling.text == #"{"code":0,"message":"Transport unknown"}"#)
            #expect(try await fixture.send("GET", "/socket.io/?EIO=3&transport=websocket").json?["code"]?.integer == 5)
            let plain = try await fixture.send("GET", "/socket.io/?EIO=4&transport=websocket", fixture.token())
            #expect(plain.status == 426)
            #expect(plain.headers["Sec-WebSocket-Version"] == "13")
        }
    }

    @Test("IM-6 a session has at most sixteen connections")
    func perSession() async throws {
        try await with { fixture in
            let token = try await fixture.token()
            var peers = try (0..<ImmichRealTime.maximumPerSession).map { _ in try connect(fixture, token) }
            func another() throws -> WebSocketPeer {
                try WebSocketPeer(
                    RawSocket(port: Int(fixture.base.http.port)), Self.path, headers: GatewayFixture.bearer(token))
            }
            #expect(try another().next() == .close(1000))
            peers.removeLast()
            try await eventually { try another().text()?.hasPrefix("0{") == true }
        }
    }
}
