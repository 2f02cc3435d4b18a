import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayDialects
@testable import LatchGateway

/// What a client of Immich learns before anybody signs in, and how errors look.
@Suite(.timeLimit(.minutes(20)))
struct ImmichServerTests {
    @Test("IM-3g the well-known address at the root contains the prefix, and the ping responds")
    func isFound() async throws {
        try await ImmichFixture.with { fixture in
            let known = try await fixture.base.http.send("GET", "/.well-known/immich")
            #expect(known.status == 200)
            #expect(known.text == #"{"api":{"endpoint":"/immich/api"}}"#)
            #expect(known.headers["Content-Type"] == "application/json")
            #expect(try await fixture.send("GET", "/server/ping").text == #"{"res":"pong"}"#)
        }
    }

    @Test("IM-4 version, features and configuration describe how people sign in")
    func describesSignIn() async throws {
        try await ImmichFixture.with { fixture in
            let version = try await fixture.send("GET", "/server/version").json
            #expect(version?["major"] == 3 && version?["minor"] == 1 && version?["patch"] == 0)
            #expect(version?["prerelease"] == .null)
            let features = try await fixture.send("GET", "/server/features").json
            #expect(features?["passwordLogin"] == true && features?["oauth"] == false)
            #expect(features?.members?.count == 16)
            let config = try await fixture.send("GET", "/server/config").json
            #expect(config?["isInitialized"] == true && config?["maintenanceMode"] == false)
            #expect(config?.members?.count == 12)
        }
    }

    @Test("IM-4 if passwords are off, the features say so")
    func passwordsDisabled() async throws {
        try await ImmichFixture.with {
            $0.passwordsEnabled = false
        } _: { fixture in
            let features = try await fixture.send("GET", "/server/features").json
            #expect(features?["passwordLogin"] == false)
        }
    }

    @Test(
        "details of the server are only for signed-in people",
        arguments: ["/server/about", "/server/storage", "/server/version-check"])
    func detailsRequireSignIn(_ path: String) async throws {
        try await ImmichFixture.with { fixture in
            #expect(try await fixture.send("GET", path).status == 401)
            let response = try await fixture.send("GET", path, try await fixture.token())
            #expect(response.status == 200)
            #expect(response.json?.members?.isEmpty == false)
        }
    }

    @Test("the size of the disk is reported")
    func reportsDiskSize() async throws {
        try await ImmichFixture.with { fixture in
            let disk = try await fixture.send("GET", "/server/storage", try await fixture.token()).json
            let size = try disk?["diskSizeRaw"]?.number.orThrow ?? 0
            #expect(size > 0)
            #expect((disk?["diskAvailableRaw"]?.number ?? -1) <= size)
            #expect(disk?["diskSize"]?.string?.hasSuffix("iB") == true)
        }
    }

    @Test("the lists of media types and of versions are public")
    func listsTypes() async throws {
        try await ImmichFixture.with { fixture in
            let types = try await fixture.send("GET", "/server/media-types").json
            #expect(types?["image"]?.array?.isEmpty == false)
            #expect(try await fixture.send("GET", "/server/version-history").text == "[]")
        }
    }

    @Test("every response has the request's id, which is the client's own if it is safe")
    func requestIDs() async throws {
        try await ImmichFixture.with { fixture in
            func id(_ path: String, _ sent: String?) async throws -> String? {
                let fields = sent.map { [("X-Correlation-ID", $0)] } ?? []
                return try await fixture.send("GET", path, headers: fields).headers["X-Correlation-ID"]
            }
            for path in ["/server/ping", "/users/me", "/no/such/path"] {
                let own = try await id(path, "mine-1")
                #expect(own == "mine-1")
                #expect(try await id(path, nil)?.utf8.count == 15)
                #expect(try await id(path, "a b\"<c>")?.utf8.count == 15)
            }
        }
    }

    @Test("an unknown path and a wrong method are refused in the dialect's error format")
    func errorFormat() async throws {
        try await ImmichFixture.with { fixture in
            let unknown = try await fixture.send("GET", "/no/such/path")
            #expect(unknown.status == 404)
            #expect(unknown.text == #"{"message":"Not Found"}"#)
            let method = try await fixture.send("PATCH", "/auth/login")
            #expect(method.status == 405)
            #expect(method.refusal == "Method Not Allowed")
        }
    }

    @Test("IM-3g in maintenance mode only the ping, the version and the configuration respond")
    func maintenanceMode() async throws {
        try await ImmichFixture.with {
            $0.immich.isInMaintenance = true
        } _: { fixture in
            let ping = try await fixture.send("GET", "/server/ping")
            #expect(ping.status == 200)
            #expect(try await fixture.send("GET", "/server/version").status == 200)
            #expect(try await fixture.send("GET", "/server/config").json?["maintenanceMode"] == true)
            #expect(try await fixture.send("GET", "/server/features").status == 404)
            #expect(try await fixture.login().status == 404)
            #expect(try await fixture.base.http.send("GET", "/.well-known/immich").status == 404)
        }
    }
}
