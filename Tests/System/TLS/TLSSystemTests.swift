import Foundation
import HTTPClient
import HTTPMessages
import Synchronization
import TestSupport
import Testing

/// `latchd` with a certificate, as clients and operators meet it.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20)))
struct TLSSystemTests {
    @Test func `a person signs in over TLS, and the certificate is replaced during running requests`() async throws {
        let tls = try await TLSFixture()
        let gateway = try await tls.base.startGatewayWithPerson()
        let signedIn = try await tls.base.latch(
            "login", gateway.address, "--ca", tls.authority.own.certificate, "--email", SystemFixture.email,
            "--password-stdin", input: SystemFixture.password + "\n")
        #expect(signedIn.status == 0, "\(signedIn.errors)")
        let response = try await tls.base.latch("request", "GET", "/api/me")
        #expect(response.output.contains(#""email":"ada@example.org""#), "\(response.errors)")

        let isOver = Flag()
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            // One that keeps its connections, one with a new connection each time, and the program itself.
            for isFresh in [false, true] {
                group.addTask { try await Self.ask(tls, gateway, isFresh: isFresh, until: isOver) }
            }
            group.addTask {
                var count = 0
                while !isOver.isRaised {
                    let me = try await tls.base.latch("request", "GET", "/api/me")
                    #expect(me.status == 0, "\(me.errors)")
                    count += 1
                }
                return count
            }
            for number in 1...5 {
                let next = try await tls.authority.issue("next \(number)")
                let fingerprint = try await tls.authority.fingerprint(next.certificate)
                try tls.put(next)
                let line = try await gateway.program.line(containing: fingerprint)
                #expect(line.contains("The certificate was replaced."))
                let shown = try await tls.client().presentedCertificate(at: gateway.address)
                #expect(shown.fingerprint.description == fingerprint)
            }
            isOver.raise()
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(counts.allSatisfy { $0 > 0 }, "\(counts)")
    }

    @Test func `SIGHUP reloads the certificate and closes no connection`() async throws {
        let tls = try await TLSFixture()
        let gateway = try await tls.base.startGateway()
        let client = try tls.client()
        _ = try await client.send(ClientRequest(url: gateway.address + "/healthz"))

        gateway.program.send(SIGHUP)
        try await gateway.program.line(containing: "The certificate was reloaded. It has not changed.")
        let wrong = try await tls.authority.issue("wrong")
        try tls.put(Authority.Pair(certificate: wrong.certificate, key: tls.keyPath))
        gateway.program.send(SIGHUP)
        try await gateway.program.line(containing: "Could not replace the certificate; the old one is kept.")

        #expect(try await client.send(ClientRequest(url: gateway.address + "/healthz")).status == .ok)
        #expect(try await tls.client().send(ClientRequest(url: gateway.address + "/healthz")).status == .ok)
        gateway.program.send(SIGTERM)
        #expect(await gateway.program.waitForExit() == 0)
    }

    @Test func `without TLS SIGHUP closes no connection either`() async throws {
        let gateway = try await SystemFixture().startGateway()
        gateway.program.send(SIGHUP)
        try await gateway.program.line(containing: "no certificate is configured")
        gateway.program.send(SIGTERM)
        #expect(await gateway.program.waitForExit() == 0)
    }

    @Test func `TLS 1.2 and 1.3 with http/1.1 are supported, and nothing else`() async throws {
        let tls = try await TLSFixture()
        let gateway = try await tls.base.startGateway()
        for version in ["-tls1", "-tls1_1"] {
            let result = try await tls.openssl(gateway, [version, "-cipher", "ALL:@SECLEVEL=0"])
            #expect(!result.contains("HTTP/1.1 200") && result.contains("Cipher is (NONE)"), "\(version): \(result)")
        }
        for (version, name) in [("-tls1_2", "TLSv1.2"), ("-tls1_3", "TLSv1.3")] {
            let result = try await tls.openssl(gateway, [version, "-alpn", "h2,http/1.1"])
            #expect(result.contains("HTTP/1.1 200") && result.contains("New, \(name)"), "\(result)")
            #expect(result.contains("ALPN protocol: http/1.1"))
        }
    }

    @Test
    func `plain requests and incomplete handshakes at the TLS port affect no other client and time out`() async throws {
        let tls = try await TLSFixture(["LATCHD_LIMITS_HEADER_TIMEOUT": "3s"])
        let gateway = try await tls.base.startGateway()
        let client = try tls.client()
        let sockets = try (0..<60).map { _ in try RawSocket(port: gateway.port) }
        let openings: [[UInt8]] = [
            [], [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01], Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8),
        ]
        for (index, socket) in sockets.enumerated() { try socket.write(openings[index % openings.count]) }

        #expect(try await client.send(ClientRequest(url: gateway.address + "/healthz")).status == .ok)
        for socket in sockets {
            // An end and a reset are both an end; the socket's own deadline is not.
            do { #expect(try !socket.readToEnd().contains("HTTP")) } catch { #expect(!"\(error)".contains("in time")) }
        }
        #expect(try await client.send(ClientRequest(url: gateway.address + "/healthz")).status == .ok)
    }

    @Test func `a stalled handshake uses no processor time`() async throws {
        let tls = try await TLSFixture(["LATCHD_LIMITS_HEADER_TIMEOUT": "2s"])
        let gateway = try await tls.base.startGateway()
        let before = try gateway.program.processorTicks()
        let sockets = try (0..<8).map { _ in try RawSocket(port: gateway.port) }
        // A whole first record that asks for more.
        for socket in sockets { try socket.write([0x16, 0x03, 0x01, 0x00, 0x04, 0x01, 0x00, 0x02, 0x00]) }
        for socket in sockets { _ = try? socket.readToEnd() }
        // Two seconds passed; 100 ticks are one of them on one core.
        #expect(try gateway.program.processorTicks() - before < 50)
    }

    @Test
    func `HSTS is sent if configured, and the metrics contain the certificate's remaining validity`() async throws {
        let tls = try await TLSFixture(["LATCHD_TLS_HSTS": "180d"])
        let gateway = try await tls.base.startGateway()
        let client = try tls.client()
        let health = try await client.send(ClientRequest(url: gateway.address + "/healthz"))
        #expect(health.headers["Strict-Transport-Security"] == "max-age=15552000")
        let page = try await client.send(ClientRequest(url: gateway.address + "/metrics"))
        let text = String(decoding: page.body, as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("latchd_tls_certificate_expiry_sec") })
        let seconds = try #require(Int(line.split(separator: " ").last ?? ""))
        #expect((29 * 86_400...30 * 86_400).contains(seconds))
    }

    /// Asks until told to stop; every answer must be 200.
    private static func ask(
        _ tls: TLSFixture, _ gateway: RunningGateway, isFresh: Bool, until isOver: Flag
    ) async throws -> Int {
        var client = try tls.client()
        var count = 0
        while !isOver.isRaised {
            #expect(try await client.send(ClientRequest(url: gateway.address + "/healthz")).status == .ok)
            count += 1
            if isFresh {
                await client.close()
                client = try tls.client()
            }
        }
        await client.close()
        return count
    }
}

extension RunningProgram {
    /// The processor time that the program has used, in hundredths of a second.
    ///
    /// Source: proc(5), `/proc/pid/stat`, utime and stime.
    fileprivate func processorTicks() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8).split(separator: " ")
        return try #require(Int(fields[13])) + #require(Int(fields[14]))
    }
}

/// A flag that is raised once.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isRaised: Bool { value.load(ordering: .acquiring) }

    func raise() {
        value.store(true, ordering: .releasing)
    }
}
