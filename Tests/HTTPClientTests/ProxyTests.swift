import HTTPMessages
import TestSupport
import Testing

@testable import HTTPClient

@Suite("Proxies", .serialized, .timeLimit(.minutes(20)))
struct ProxyTests {
    @Test("http requests are sent to the proxy, and https through a tunnel")
    func used() async throws {
        let authority = try await Authority.make()
        let proxy = try await Fixture.start("proxy.py")
        let plain = try await Fixture.server()
        let secure = try await authority.server(try await authority.issue())
        let configuration = HTTPClient.Configuration(
            extraHeaders: ["X-Extra": "e"], authorities: .only(pemFile: authority.own.certificate), proxy: proxy.url("")
        )

        let one = try await withClient(configuration) { try await $0.send(ClientRequest(url: plain.url("/echo"))) }
        let two = try await withClient(configuration) {
            try await $0.send(ClientRequest(url: secure.url("/echo", scheme: "https", host: "localhost")))
        }

        #expect(try Echo(one).header("x-extra") == "e")
        #expect(try Echo(two).header("x-extra") == "e")
        #expect(await proxy.line("forward") == "forward GET \(plain.url("/echo"))")
        #expect(await proxy.line("connect") == "connect localhost:\(secure.port)")
    }

    @Test("A proxy gets its user name and password")
    func authorization() async throws {
        let proxy = try await Fixture.start("proxy.py")
        let server = try await Fixture.server()

        let configuration = HTTPClient.Configuration(proxy: "http://me:hunter2-hunter2@127.0.0.1:\(proxy.port)")
        _ = try await withClient(configuration) { try await $0.send(ClientRequest(url: server.url("/echo"))) }

        #expect(await proxy.line("authorization") == "authorization Basic bWU6aHVudGVyMi1odW50ZXIy")
    }

    @Test("An error of the proxy is distinguished from one of the server")
    func failing() async throws {
        let declining = try await Fixture.start("proxy.py", ["--status", "403"])
        let asking = try await Fixture.start("proxy.py", ["--status", "407"])
        let proxies = [
            "http://me:hunter2-hunter2@127.0.0.1:1", "http://proxy.nowhere.invalid:3128", "socks5h://127.0.0.1:1",
            declining.url(""), asking.url(""),
        ]

        for proxy in proxies {
            let error = try await failure(ClientRequest(url: "https://server.invalid/"), .init(proxy: proxy))
            #expect(error.code == .proxy, "\(proxy): \(error)")
            #expect(!error.message.leaks("hunter2-hunter2") && error.message.contains("https://server.invalid"))
        }
    }

    @Test(
        "An invalid proxy is refused at once",
        arguments: [
            "ftp://proxy:1", "https://proxy:1", "http://", "http://a b", "http://:1", "http://proxy:", "proxy:0",
            "proxy:65536", "proxy:1a", "socks5://me:hunter2-hunter2@proxy:port", "http://[::1", "http://[::1]1",
            "http://a:1:2", "not a proxy",
        ])
    func invalid(_ proxy: String) {
        let error = #expect(throws: TransportError.self) { try HTTPClient(.init(proxy: proxy)) }

        #expect(error?.code == .proxy && error?.message.contains("http://host:port") == true)
        #expect(error?.message.leaks("hunter2-hunter2") == false)
        #expect(throws: TransportError.self) { try HTTPClient.checkProxy(proxy) }
    }

    @Test(
        "A valid proxy is accepted without a connection",
        arguments: [
            "", "proxy", "proxy:1", "http://proxy:65535/", "http://me:a:b@proxy:3128", "SOCKS5H://[::1]:1080",
            "socks5://[::1]",
        ])
    func valid(_ proxy: String) throws { try HTTPClient.checkProxy(proxy) }

    /// An address, the environment's variables and the proxy that follows from both.
    struct Row: Sendable {
        var url: String
        var variables: [String: String]
        var expected: String?

        init(_ url: String, _ variables: [String: String], _ expected: String?) {
            (self.url, self.variables, self.expected) = (url, variables, expected)
        }
    }

    private static let rows: [Row] = [
        Row("https://a.example/", ["https_proxy": "http://p:1"], "http://p:1"),
        Row("https://a.example/", ["HTTPS_PROXY": "http://p:1"], "http://p:1"),
        Row("https://a.example/", ["all_proxy": "socks5h://p:1"], "socks5h://p:1"),
        Row("http://a.example/", ["http_proxy": "p:1"], "http://p:1"),
        Row("http://a.example/", ["HTTP_PROXY": "http://p:1"], nil),
        Row("http://a.example/", ["https_proxy": "http://p:1"], nil),
        Row("https://a.example/", ["https_proxy": "http://p:1", "no_proxy": "b.example, example"], nil),
        Row("https://a.example/", ["https_proxy": "http://p:1", "no_proxy": ".a.example"], nil),
        Row("https://ba.example/", ["https_proxy": "http://p:1", "no_proxy": "a.example"], "http://p:1"),
        Row("https://a.example/", ["https_proxy": "http://p:1", "NO_PROXY": "*"], nil),
        Row("https://10.1.2.3/", ["https_proxy": "http://p:1", "no_proxy": "10.0.0.0/8"], nil),
        Row("https://11.1.2.3/", ["https_proxy": "http://p:1", "no_proxy": "10.0.0.0/8"], "http://p:1"),
        Row("https://[fd00::1]/", ["https_proxy": "http://p:1", "no_proxy": "[fd00::1]"], nil),
        Row("https://localhost:2283/", ["https_proxy": "http://p:1"], nil),
        Row("https://127.0.0.1/", ["https_proxy": "http://p:1"], nil),
        Row("https://[::1]/", ["https_proxy": "http://p:1"], nil),
        Row("https://a.example/", ["https_proxy": ""], nil),
    ]

    @Test("The environment's proxy is used", arguments: rows)
    func environment(_ row: Row) throws {
        let address = try RequestAddress(parsing: row.url)
        let fromEnvironment = try ProxyChoice(configured: nil, environment: row.variables)
        let none = try ProxyChoice(configured: "", environment: row.variables)
        let own = try ProxyChoice(configured: "http://q:2", environment: row.variables)

        #expect(try fromEnvironment.proxy(for: address)?.shownName == row.expected)
        #expect(try none.proxy(for: address) == nil)
        #expect(try own.proxy(for: address)?.text == "http://q:2")
    }
}
