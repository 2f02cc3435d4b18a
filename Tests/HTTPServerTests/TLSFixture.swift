import HTTPClient
import HTTPMessages
import HTTPServer
import TestSupport

/// A server that speaks TLS, and its authority.
struct TLSFixture {
    let authority: Authority
    let credentials: TLSCredentials
    let server: TestServer

    init(
        router sample: Router = .sample, _ change: (inout HTTPServer.Configuration) -> Void = { _ in }
    ) async throws {
        authority = try await Authority.make()
        let pair = try await authority.issue()
        let credentials = TLSCredentials(
            try CertificateFiles(certificatePath: pair.certificate, keyPath: pair.key).read())
        self.credentials = credentials
        var router = sample
        router.on(.get, "/secure") { .text("\($0.isTLS)") }
        let configuration = TestServer.configuration {
            $0.listeners = [.tls(host: "127.0.0.1", port: 0)]
            $0.credentials = credentials
            change(&$0)
        }
        server = try await TestServer(configuration, router: router)
    }

    func files(_ pair: Authority.Pair) -> CertificateFiles {
        CertificateFiles(certificatePath: pair.certificate, keyPath: pair.key)
    }

    func url(_ path: String) -> String { "https://127.0.0.1:\(server.port)\(path)" }

    func client() throws -> HTTPClient {
        try HTTPClient(HTTPClient.Configuration(authorities: .only(pemFile: authority.own.certificate)))
    }

    /// Connects with `openssl s_client`, sends `input` and returns what came until the server closed.
    func openssl(
        _ arguments: [String] = [], input: String = "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        isQuiet: Bool = true
    ) async throws -> Program.Result {
        try await Program.run(
            "openssl",
            ["s_client", "-connect", "127.0.0.1:\(server.port)", isQuiet ? "-quiet" : "-ign_eof"] + arguments,
            input: input)
    }

    func stop() async { await server.stop() }
}
