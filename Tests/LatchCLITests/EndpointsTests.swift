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
            let other = try TemporaryDirectory()
            var ownFront: TLSFront? = try await TLSFront(to: server.port, in: other)
            let (ownPort, ownPin) = try #require(ownFront.map { ($0.port, $0.fingerprint) })
            let (address, ownAddress) = ("https://127.0.0.1:\(front.port)", "https://127.0.0.1:\(ownPort)")
            let login = try await home.latch(
                "login", ownAddress, "--pin", ownPin, "-e", TestGateway.email, "--password-stdin",
                input: TestGateway.password)
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
            #expect(tested.map { $0["address"] as? String } == [address, ownAddress])
            #expect(tested.allSatisfy { $0["isUsable"] as? Bool == true }, "\(tested)")
            #expect(refused.errors.contains("latch doctor \(address)"), "\(refused.errors)")
            for action in ["prefer", "remove"] {
                let own = try await home.latch("endpoints", action, ownAddress)
                #expect(own.status == 65 && own.errors.contains("account's own address"), "\(own.errors)")
                let unknown = try await home.latch("endpoints", action, "https://photos.example.org")
                #expect(unknown.status == 65 && unknown.errors.contains("latch endpoints list"), "\(unknown.errors)")
            }

            #expect(try await home.latch("endpoints", "wifi", "remove", "Home sweet home").status == 0)
            #expect(try await home.latch("endpoints", "remove", address).status == 0)
            #expect(try await home.latch("endpoints", "remove", address).status == 65)
            #expect(try await home.latch("endpoints", "add", address, "--pin", front.fingerprint).status == 0)
            #expect(try await home.latch("endpoints", "prefer", address).status == 0)
            // The account's own address is dead from here on.
            ownFront = nil
            try await eventually { (try? RawSocket(port: ownPort)) == nil }
            let person = try await home.latch("whoami")
            #expect(person.status == 0, "\(person.errors)")
            let log = try await home.latch("logs").output
            #expect(log.contains("127.0.0.1:\(front.port)  endpoint"), "\(log)")
        }
    }
}
