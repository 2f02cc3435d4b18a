import Foundation
import TestSupport
import Testing

/// `latch endpoints`.
@Suite(.blocking, .timeLimit(.minutes(20))) struct EndpointsTests {
    @Test("IM-13 IM-14 addresses are tested, added, listed, used and removed on the command line")
    func endpoints() async throws {
        try await TestGateway.with { server in
            var home = try HomeFixture()
            home.environment["LATCH_SECRETS_KEY"] = home.folder.file("key")
            let front = try await TLSFront(to: server.port, in: home.folder)
            let address = "https://127.0.0.1:\(front.port)"
            let login = try await home.latch(
                "login", server.url, "-e", TestGateway.email, "--password-stdin", input: TestGateway.password)
            #expect(login.status == 0, "\(login.errors)")

            let refused = try await home.latch("endpoints", "add", "--local", address)
            #expect(refused.status == 78 && refused.output.isEmpty)
            let plain = try await home.latch("endpoints", "add", "http://photos.example.org", "--json")
            #expect(plain.status == 65)
            let added = try await home.latch("endpoints", "add", "--local", address, "--pin", front.fingerprint)
            #expect(added.status == 0 && added.output.contains(address), "\(added.errors)")
            #expect(try await home.latch("endpoints", "wifi", "add", "Home sweet home").status == 0)

            let list = try HomeFixture.json(try await home.latch("endpoints", "list", "--json"))
            #expect(list["local"] as? String == address && list["external"] as? [String] == [])
            #expect(list["wifiNames"] as? [String] == ["Home sweet home"])
            let tests = try HomeFixture.json(try await home.latch("endpoints", "test", "--json"))["tests"]
            let tested = tests as? [[String: Any]] ?? []
            #expect(tested.map { $0["address"] as? String } == [address, server.url])
            #expect(tested.allSatisfy { $0["isUsable"] as? Bool == true }, "\(tested)")
            #expect(refused.errors.contains("latch doctor \(address)"), "\(refused.errors)")
            for action in ["prefer", "remove"] {
                let own = try await home.latch("endpoints", action, server.url)
                #expect(own.status == 65 && own.errors.contains("account's own address"), "\(own.errors)")
                let unknown = try await home.latch("endpoints", action, "https://photos.example.org")
                #expect(unknown.status == 65 && unknown.errors.contains("latch endpoints list"), "\(unknown.errors)")
            }

            #expect(try await home.latch("endpoints", "wifi", "remove", "Home sweet home").status == 0)
            #expect(try await home.latch("endpoints", "remove", address).status == 0)
            #expect(try await home.latch("endpoints", "remove", address).status == 65)
            #expect(try await home.latch("endpoints", "add", address, "--pin", front.fingerprint).status == 0)
            #expect(try await home.latch("endpoints", "prefer", address).status == 0)
            // On a busy machine the own address may respond first, so the program is started until the other one does.
            try await eventually {
                let person = try? await home.latch("whoami")
                let log = try? await home.latch("logs").output
                return person?.status == 0 && log?.contains("127.0.0.1:\(front.port)  endpoint") == true
            }
        }
    }
}
