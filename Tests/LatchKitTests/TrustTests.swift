import CLibrary
import Foundation
import HTTPClient
import LatchKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct TrustTests {
    /// An Onyx-like server over TLS, by `openssl s_server`, with a certificate that stands behind itself.
    private final class SelfSigned: @unchecked Sendable {
        // Used by one test at a time, which starts and stops it.
        let process: ChildProcess
        let folder: TemporaryDirectory
        let port: Int

        init() async throws {
            folder = try TemporaryDirectory()
            let made = try await Program.run(
                "openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out",
                    "cert.pem",
                ], environment: ProcessInfo.processInfo.environment, directory: folder.path)
            try #require(made.status == 0, "\(made.errors)")
            try FileManager.default.createDirectory(
                atPath: folder.path + "/api/auth", withIntermediateDirectories: true)
            let body = #"{"multi_tenant":false}"#
            let response =
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
                + "Connection: close\r\n\r\n" + body
            try Data(response.utf8).write(to: URL(fileURLWithPath: folder.path + "/api/auth/type"))
            process = try ChildProcess(
                "openssl",
                ["s_server", "-HTTP", "-accept", "127.0.0.1:0", "-key", "key.pem", "-cert", "cert.pem"],
                directory: folder.path, errors: .nowhere)
            var received: [UInt8] = []
            var found: Int?
            while found == nil {
                let more = process.output.read()
                try #require(!more.isEmpty)
                received += more
                let text = String(decoding: received, as: UTF8.self)
                if let line = text.split(separator: "\n").dropLast(text.hasSuffix("\n") ? 0 : 1)
                    .first(where: { $0.hasPrefix("ACCEPT") })
                {
                    found = line.split(separator: ":").last.flatMap { Int($0) }
                }
            }
            port = found ?? 0
        }
    }

    @Test("a self-signed certificate is shown, and once its fingerprint is confirmed the server is found")
    func pin() async throws {
        let server = try await SelfSigned()
        let address = try ServerAddress("127.0.0.1:\(server.port)")

        let first = try await ServerProbe().run(address)

        #expect(first.failure?.code == .certificateSelfSigned)
        #expect(first.failure?.message.hasPrefix("SSL certificate error") == true)
        #expect(first.steps.map(\.outcome) == [.passed, .passed, .passed, .failed, .skipped])
        let shown = try #require(first.presentedCertificate)
        let second = try await ServerProbe(connection: .init(pinnedCertificate: shown.fingerprint)).run(address)
        #expect(try second.requireServer().connection.pinnedCertificate == shown.fingerprint)

        let other = try #require(CertificateFingerprint(bytes: [UInt8](repeating: 7, count: 32)))
        let third = try await ServerProbe(connection: .init(pinnedCertificate: other)).run(address)
        #expect(third.failure?.code == .certificatePinMismatch)
        #expect(third.presentedCertificate?.fingerprint == shown.fingerprint)

        let own = CertificateAuthorities.only(pemFile: server.folder.path + "/cert.pem")
        let fourth = try await ServerProbe(connection: .init(authorities: own)).run(address)
        #expect(fourth.server != nil, "\(String(describing: fourth.failure))")
    }
}
