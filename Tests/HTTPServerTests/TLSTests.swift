import Foundation
import HTTPClient
import HTTPMessages
import HTTPServer
import TestSupport
import Testing

/// TLS by libmicrohttpd, with certificates of an authority of the test's own and `openssl s_client` for what must be
/// seen on the wire.
@Suite(.blocking, .timeLimit(.minutes(20)))
struct TLSTests {
    @Test func `requests over TLS get responses and are marked as secure`() async throws {
        let fixture = try await TLSFixture()
        let response = try await fixture.client().send(ClientRequest(method: .get, url: fixture.url("/secure")))
        #expect(String(decoding: response.body, as: UTF8.self) == "true")
        let body = [UInt8](repeating: 7, count: 700_000)
        let echo = try await fixture.client().send(ClientRequest(method: .post, url: fixture.url("/echo"), body: body))
        #expect(echo.body == body)
        await fixture.stop()
    }

    @Test(arguments: [
        ("-tls1", false), ("-tls1_1", false), ("-tls1_2", true), ("-tls1_3", true),
    ])
    func `TLS 1.2 and 1.3 are supported and nothing older`(version: String, isAccepted: Bool) async throws {
        let fixture = try await TLSFixture()
        // The security level lets openssl itself offer the old versions.
        let result = try await fixture.openssl([version, "-cipher", "ALL:@SECLEVEL=0"])
        #expect(result.output.contains("HTTP/1.1 200") == isAccepted, "\(result.errors)")
        await fixture.stop()
    }

    @Test(arguments: [
        ("AES128-SHA", false), ("AES128-SHA256", false), ("AES128-CCM8", false), ("AES128-GCM-SHA256", true),
        ("AES256-GCM-SHA384", true), ("CHACHA20-POLY1305", true),
    ])
    func `ciphers without authenticated encryption are refused`(cipher: String, isAccepted: Bool) async throws {
        let fixture = try await TLSFixture()
        let result = try await fixture.openssl(["-tls1_2", "-cipher", "ECDHE-ECDSA-\(cipher):@SECLEVEL=0"])
        #expect(result.output.contains("HTTP/1.1 200") == isAccepted, "\(result.errors)")
        await fixture.stop()
    }

    @Test(arguments: [
        (["-alpn", "h2,http/1.1"], "ALPN protocol: http/1.1", true), ([], "No ALPN negotiated", true),
        (["-alpn", "h2"], "No ALPN negotiated", false),
    ])
    func `ALPN selects http/1.1 or nothing`(arguments: [String], words: String, isAccepted: Bool) async throws {
        let fixture = try await TLSFixture()
        let result = try await fixture.openssl(arguments, isQuiet: false)
        #expect((result.output + result.errors).contains(words), "\(result.errors)")
        #expect(result.output.contains("HTTP/1.1 200") == isAccepted)
        await fixture.stop()
    }

    @Test(arguments: [
        ("GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", "400"),
        ("GET /hello HTTP/1.1\r\nHost : a\r\n\r\n", "400"),
        ("GET /hello HTTP/1.1\nHost: a\r\n\r\n", "400"),
        ("GET /hello HTTP/1.1\r\nHost: a\r\nX: 1\n\r\n\r\n", "400"),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", "400"),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\n\r\nabc", "413"),
        ("GET /hello HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 20_000) + "\r\n\r\n", "431"),
        ("GET /hello HTTP/1.1\r\nHost: a\r\nCookie: b=c; d\r\nConnection: close\r\n\r\n", "200"),
    ])
    func `requests are parsed as strictly as over plain HTTP`(request: String, status: String) async throws {
        let fixture = try await TLSFixture()
        let result = try await fixture.openssl(input: request)
        #expect(result.output.hasPrefix("HTTP/1.1 \(status)"), "\(result.output) \(result.errors)")
        await fixture.stop()
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "\u{16}\u{3}\u{1}garbage", "\0\0\0\0\0\0\0\0\0\0"])
    func `an invalid handshake closes its connection and no other`(bytes: String) async throws {
        let fixture = try await TLSFixture()
        let client = try fixture.client()
        _ = try await client.send(ClientRequest(method: .get, url: fixture.url("/hello")))
        let socket = try fixture.server.connect()
        try socket.write(bytes)
        socket.finishWriting()
        #expect(try !socket.readToEnd().contains("HTTP/"))
        #expect(try await client.send(ClientRequest(method: .get, url: fixture.url("/hello"))).status == .ok)
        await fixture.stop()
    }

    @Test func `an incomplete handshake delays no other client and times out`() async throws {
        let fixture = try await TLSFixture { $0.headerTimeout = .seconds(2) }
        // Enough for every loop to hold some.
        let half = try (0..<40).map { _ in try fixture.server.connect() }
        for socket in half { try socket.write([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]) }
        let response = try await fixture.client().send(ClientRequest(method: .get, url: fixture.url("/hello")))
        #expect(response.status == .ok)
        for socket in half {
            // An end and a reset are both an end; the socket's own deadline is not.
            do { _ = try socket.readToEnd() } catch { #expect(!"\(error)".contains("in time")) }
        }
        await fixture.stop()
    }

    @Test func `incomplete handshakes do not prevent the server from stopping`() async throws {
        let fixture = try await TLSFixture()
        let half = try (0..<8).map { _ in try fixture.server.connect() }
        for socket in half { try socket.write([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]) }
        _ = try await fixture.client().send(ClientRequest(method: .get, url: fixture.url("/hello")))
        await fixture.server.server.stop(drain: .seconds(60))
        for socket in half { #expect((try? socket.readToEnd()) ?? "" == "") }
    }

    @Test func `a stalled request over TLS gets 408`() async throws {
        let fixture = try await TLSFixture { $0.bodyTimeout = .milliseconds(200) }
        let result = try await fixture.openssl(
            input: "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
        #expect(result.output.hasPrefix("HTTP/1.1 408"), "\(result.output) \(result.errors)")
        await fixture.stop()
    }

    @Test func `a replaced certificate is used for new connections while existing ones continue`() async throws {
        let fixture = try await TLSFixture()
        let old = try fixture.client()
        _ = try await old.send(ClientRequest(method: .get, url: fixture.url("/hello")))
        let next = try await fixture.authority.issue("next")

        fixture.credentials.replace(with: try fixture.files(next).read())

        #expect(try await old.send(ClientRequest(method: .get, url: fixture.url("/hello"))).status == .ok)
        let fingerprint = try await fixture.authority.fingerprint(next.certificate)
        let shown = try await fixture.client().presentedCertificate(at: fixture.url("/"))
        #expect(shown.fingerprint.description == fingerprint)
        #expect(fixture.credentials.certificate.fingerprint == fingerprint)
        await fixture.stop()
    }

    @Test func `pipelined requests all get responses`() async throws {
        let fixture = try await TLSFixture()
        let filler = String(repeating: "x", count: 500)
        let request = "GET /hello HTTP/1.1\r\nHost: a\r\nX: \(filler)\r\n\r\n"
        let last = "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        // Several records, of each of which libmicrohttpd reads a part at a time.
        let result = try await fixture.openssl(input: String(repeating: request, count: 80) + last)
        #expect(result.output.components(separatedBy: "HTTP/1.1 200").count - 1 == 81)
        await fixture.stop()
    }

    @Test func `an idle connection gets close_notify when the server stops`() async throws {
        let fixture = try await TLSFixture()
        async let result = fixture.openssl(input: "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        for await _ in fixture.server.accesses { break }
        await fixture.server.server.stop(drain: .seconds(5))
        #expect(try await result.output.hasPrefix("HTTP/1.1 200"))
        #expect(try await !result.errors.contains("unexpected eof"))
    }

    @Test func `a certificate's properties match those that openssl prints`() async throws {
        let authority = try await Authority.make()
        let pair = try await authority.issue(
            for: "DNS:photos.example.org,DNS:*.example.org,IP:192.0.2.7,IP:2001:db8::7", from: "20260101000000Z",
            to: "20270102030405Z")
        let certificate = try CertificateFiles(certificatePath: pair.certificate, keyPath: pair.key).read()
        #expect(certificate.names == ["photos.example.org", "*.example.org", "192.0.2.7", "2001:db8::7"])
        #expect(certificate.notBefore.timeIntervalSince1970 == 1_767_225_600)
        #expect(certificate.notAfter.timeIntervalSince1970 == 1_798_859_045)
        #expect(try await certificate.fingerprint == authority.fingerprint(pair.certificate))
    }

    @Test func `files that do not form a pair are refused with the remedy`() async throws {
        let authority = try await Authority.make()
        let (one, other) = (try await authority.issue(), try await authority.issue())
        let encrypted = try await authority.issue(passphrase: "secret")
        let junk = try authority.folder.write("-----BEGIN NOTHING", to: "junk.pem")
        let rows: [(String, String, String)] = [
            (one.certificate, other.key, "does not belong to it"), (encrypted.certificate, encrypted.key, "encrypted"),
            (junk, one.key, "certificate '\(junk)'"), (one.certificate, junk, "key '\(junk)'"),
            (authority.folder.file("none"), one.key, "No such file"), (one.certificate, "/dev/zero", "regular file"),
        ]
        for (certificate, key, message) in rows {
            let error = #expect(throws: HTTPServerError.self) {
                try CertificateFiles(certificatePath: certificate, keyPath: key).read()
            }
            #expect(
                error?.code == .certificate && error?.message.contains(message) == true, "\(message): \(error as Any)")
            #expect(error?.message.contains("secret") == false)
        }
    }

    @Test func `a listener for TLS without a certificate does not start`() async throws {
        let error = await #expect(throws: HTTPServerError.self) {
            try await TestServer(TestServer.configuration { $0.listeners = [.tls(host: "127.0.0.1", port: 0)] })
        }
        #expect(error?.code == .certificate)
    }
}
