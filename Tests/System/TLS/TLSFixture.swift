import Foundation
import HTTPClient
import TestSupport
import Testing

/// A house whose gateway speaks TLS by a certificate of an authority of the test's own.
struct TLSFixture {
    let authority: Authority
    let base: SystemFixture
    let certificatePath: String
    let keyPath: String

    init(_ extra: [String: String] = [:]) async throws {
        try await self.init(authority: Authority.make(), extra)
    }

    init(authority: Authority, _ extra: [String: String] = [:], from: String? = nil, to: String? = nil) async throws {
        self.authority = authority
        certificatePath = authority.folder.file("live.crt")
        keyPath = authority.folder.file("live.key")
        let variables = ["LATCHD_TLS_CERTIFICATE": certificatePath, "LATCHD_TLS_KEY": keyPath]
        base = try SystemFixture(variables.merging(extra) { $1 })
        try put(try await authority.issue(from: from, to: to))
    }

    /// Puts a pair in place as certbot and lego do: new files, renamed over the old ones.
    func put(_ pair: Authority.Pair) throws {
        for (source, path) in [(pair.certificate, certificatePath), (pair.key, keyPath)] {
            try FileManager.default.copyItem(atPath: source, toPath: path + ".new")
            try #require(rename(path + ".new", path) == 0)
        }
    }

    /// A client that trusts the authority, with connections of its own.
    func client() throws -> HTTPClient {
        try HTTPClient(HTTPClient.Configuration(authorities: .only(pemFile: authority.own.certificate)))
    }

    /// Connects with `openssl s_client`, asks for `/healthz` and returns all that was said until the gateway closed.
    func openssl(_ gateway: RunningGateway, _ arguments: [String]) async throws -> String {
        let result = try await Program.run(
            "openssl", ["s_client", "-connect", "127.0.0.1:\(gateway.port)", "-ign_eof"] + arguments,
            input: "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        return result.output + result.errors
    }
}
