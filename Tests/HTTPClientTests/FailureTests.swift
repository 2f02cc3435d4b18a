import CLibrary
import HTTPMessages
import TestSupport
import Testing

@testable import HTTPClient

@Suite("Errors", .serialized, .timeLimit(.minutes(20)))
struct FailureTests {
    @Test(
        "An invalid address is reported as such",
        arguments: [
            "", "photos.example", "ftp://photos.example/", "file:///etc/passwd", "https://", "https:///path",
            "https:///\u{301}path", "http://host:0/", "http://host:70000/", "http://a b/", "http://host/\r\nX: y",
            "https://user:hunter2-hunter2@host/",
        ])
    func addresses(_ url: String) async throws {
        let error = try await failure(ClientRequest(url: url))

        #expect(error.code == .invalidAddress)
        #expect(!error.message.leaks("hunter2-hunter2"))
    }

    @Test("An unknown host name is not found")
    func nameNotFound() async throws {
        let error = try await failure(ClientRequest(url: "https://nowhere.invalid/path?token=hunter2-hunter2"))

        #expect(error.code == .nameNotFound)
        #expect(error.message.contains("'nowhere.invalid'") && error.message.contains("'https://nowhere.invalid'"))
        #expect(!error.message.leaks("hunter2-hunter2"))
    }

    @Test("A closed port is refused")
    func refused() async throws {
        let error = try await failure(ClientRequest(url: "http://127.0.0.1:1/"))

        #expect(error.code == .refused)
        #expect(error.message.contains("http://127.0.0.1:1") && error.message.contains("port 1"))
    }

    @Test("A host without a route is unreachable")
    func unreachable() async throws {
        #expect(try await failure(ClientRequest(url: "http://255.255.255.255/")).code == .unreachable)
    }

    @Test(
        "A timeout is rounded up to whole milliseconds, so that a deadline has passed when a transfer ends at it",
        arguments: [
            (Duration.zero, 1), (.nanoseconds(1), 1), (.milliseconds(1), 1), (.microseconds(299_001), 300),
            (.milliseconds(300), 300), (.seconds(2) + .nanoseconds(1), 2_001), (.seconds(3_000_000), 2_000_000_000),
        ])
    func roundsUp(_ timeout: Duration, _ milliseconds: Int) {
        #expect(timeout.curlMilliseconds == milliseconds)
    }

    @Test("A server that never responds causes a request time-out")
    func timedOut() async throws {
        let server = try await Fixture.server()

        let error = try await failure(ClientRequest(url: server.url("/never"), timeout: .milliseconds(200)))

        #expect(error.code == .timedOut && error.message.contains("was not complete"))
    }

    @Test("A server that never completes the handshake causes a connection time-out")
    func connectTimedOut() async throws {
        let server = try await Fixture.server(["--silent"])
        let request = ClientRequest(url: server.url(scheme: "https"), connectTimeout: .milliseconds(200), timeout: nil)

        let error = try await failure(request)

        #expect(error.code == .timedOut && error.message.contains("no connection"))
    }

    @Test("A client without free descriptors reports that, and continues when there are some")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            let port = try HeldPort()
            let request = ClientRequest(url: "http://127.0.0.1:\(port.number)/")
            try await withClient { client in
                for most in [rlim_t(4_096), 3, 4_096] {
                    var limit = rlimit()
                    try #require(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
                    limit.rlim_cur = min(most, limit.rlim_max)
                    try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
                    let error = await #expect(throws: TransportError.self) { try await client.send(request) }
                    try #require(error?.lacksDescriptors == (most == 3), "\(error)")
                    try #require(error?.message.contains("open files") == (most == 3), "\(error)")
                }
            }
        }
    }

    @Test(
        "A connection that ends before the response is reported as closed early",
        arguments: ["/early", "/early-chunk", "/nothing"])
    func closedEarly(_ path: String) async throws {
        let server = try await Fixture.server()

        #expect(try await failure(ClientRequest(url: server.url(path))).code == .closedEarly)
    }

    @Test(
        "A body above the limit is too large, with or without Content-Length",
        arguments: ["/bytes?bytes=1001", "/endless"])
    func tooLarge(_ path: String) async throws {
        let server = try await Fixture.server()

        let error = try await failure(ClientRequest(url: server.url(path), maximumBodyBytes: 1000))

        #expect(error.code == .tooLarge && error.message.contains("1000 bytes"))
        #expect(await server.line("closed") == "closed 1")
    }

    @Test("A body of exactly the limit is accepted")
    func atLimit() async throws {
        let server = try await Fixture.server()
        let request = ClientRequest(url: server.url("/bytes?bytes=1000"), maximumBodyBytes: 1000)

        #expect(try await withClient { try await $0.send(request) }.body.count == 1000)
    }

    @Test("A header above the limit is too large")
    func largeHeader() async throws {
        let server = try await Fixture.server()

        #expect(try await failure(ClientRequest(url: server.url("/wide"))).code == .tooLarge)
    }

    @Test("Another protocol's greeting is an invalid response")
    func otherProtocol() async throws {
        let server = try await Fixture.server()

        #expect(try await failure(ClientRequest(url: server.url("/other-protocol"))).code == .invalidResponse)
    }

    @Test("Every message is one sentence that names the server, and the cause has curl's message")
    func messages() async throws {
        let error = try await failure(ClientRequest(url: "http://127.0.0.1:1/"))

        #expect("\(error)" == error.message && error.message.hasSuffix("."))
        let cause = try #require(error.cause)
        #expect("\(cause)".contains("curl 7"))
    }
}
