import FoundationEssentials
import Testing

@testable import GatewayCore
@testable import GatewayHTTP
@testable import LatchGateway

@Suite struct SessionDeviceTests {
    @Test(
        "a browser is shown by its name and system, other clients by their own name",
        arguments: [
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
                "Chrome on Linux", "Browser"
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0",
                "Edge on Windows", "Browser"
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1 (KHTML, like Gecko) Version/19 Mobile/15E Safari/604",
                "Safari on iPhone", "Browser"
            ),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux", "Browser"),
            ("Mozilla/5.0 (something)", "Mozilla/5.0 (something)", nil),
            ("latch/0.1", "latch/0.1", nil),
        ] as [(String, String, String?)])
    func names(_ agent: String, _ name: String, _ kind: String?) {
        let device = SessionDevice(name: agent)

        #expect(device.name == name && device.kind == kind)
    }

    @Test("the address of the sign-in is stored with the session")
    func address() async throws {
        try await GatewayFixture.with { fixture in
            try await fixture.addPerson()
            _ = try await fixture.token()

            let session = try #require(try await fixture.gateway.stores.sessions.list().first)
            #expect(session.device.address == "127.0.0.1")
        }
    }
}
