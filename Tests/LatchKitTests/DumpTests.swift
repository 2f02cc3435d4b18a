import Crypto
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

@testable import LatchKit

@Suite(.timeLimit(.minutes(20))) struct DumpTests {
    private let fixture: OnyxFixture

    init() throws { fixture = try OnyxFixture() }

    @Test("OX-16 no token, password or key in what a debugger's dump of a session, client or message shows")
    func dumps() async throws {
        let latch = try await fixture.home.open()
        let options = ConnectionOptions(proxy: "", extraHeaders: ["X-Key": "hidden-value-1"])
        let session = try latch.session(for: try await fixture.signIn(latch, connection: options))
        _ = try await session.identity()
        var dumped = ""
        dump(session, to: &dumped)
        dump(latch, to: &dumped)
        dump(session.dialect.authorization(Secret("hidden-value-2")), to: &dumped)
        let request = OnyxDialect().passwordSignIn(
            email: try EmailAddress("a@b"), password: Secret("hidden-value-3"), device: Device())
        dump(request, to: &dumped)
        dump(
            ClientRequest(url: "http://a/", headers: ["X": "hidden-value-4"], body: Array("hidden-value-5".utf8)),
            to: &dumped)
        dump(
            ClientResponse(status: .ok, headers: ["X": "hidden-value-6"], body: Array("hidden-value-7".utf8)),
            to: &dumped)
        let configuration = HTTPClient.Configuration(
            extraHeaders: ["X": "hidden-value-8"], proxy: "http://u:hidden-value-9@p")
        dump(configuration, to: &dumped)
        dump(try HTTPClient(configuration), to: &dumped)
        dumped +=
            "\(configuration) \(request) \(HTTPHeaders(request.headers.fields + [.init(name: "X", value: "hidden-value-10")]))"

        #expect(!dumped.leaks("hidden-value") && !dumped.leaks("token-number-"), "\(dumped)")
        // A dump writes the bytes of an array one by one.
        #expect(!dumped.contains("- 104\n"))
    }
}
