import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

/// What an operator is told before clients complain.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20)))
struct TLSCheckTests {
    @Test func `check prints the certificate's names and validity`() async throws {
        let tls = try await TLSFixture()
        let check = try await tls.base.latchd("check")
        #expect(check.status == 0, "\(check.errors)")
        #expect(check.errors.isEmpty)
        #expect(check.output.contains("certificate  localhost, 127.0.0.1\n"))
        #expect(check.output.contains(try await tls.authority.fingerprint(tls.certificatePath)))
    }

    @Test func `check warns about an expiring or expired certificate, and a key that others may read`() async throws {
        let authority = try await Authority.make()
        func moment(_ days: Double) -> String {
            let formatter = ISO8601DateFormatter()
            return formatter.string(from: Date().addingTimeInterval(days * 86_400)).filter { $0.isNumber || $0 == "Z" }
        }
        let soon = try await TLSFixture(authority: authority, from: moment(-20), to: moment(9.5))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: soon.keyPath)
        let near = try await soon.base.latchd("check")
        #expect(near.status == 0)
        #expect(near.errors.contains("Warning: The certificate expires in 9 days"))
        #expect(near.errors.contains("chmod o-rwx '\(soon.keyPath)'"))

        try soon.put(try await authority.issue(from: moment(-20), to: moment(-1)))
        let past = try await soon.base.latchd("check")
        #expect(past.errors.contains("Warning: The certificate has expired"))
        let gateway = try await soon.base.startGateway()
        try await gateway.program.line(containing: "Stop:")
        // Once, in the log, which is another stream.
        try await gateway.program.line(containing: "The certificate has expired")
        #expect(gateway.program.output.split(separator: "The certificate has expired").count == 2)
        #expect(gateway.program.output.contains("warning The certificate has expired: clients refuse it."))
    }

    @Test func `check and serve refuse files that cannot be used`() async throws {
        let tls = try await TLSFixture()
        try tls.put(Authority.Pair(certificate: tls.certificatePath, key: try await tls.authority.issue().key))
        for command in ["check", "serve"] {
            let result = try await tls.base.latchd(command)
            #expect(result.status == 78)
            #expect(result.errors.contains("the key '\(tls.keyPath)' does not belong to it"), "\(result.errors)")
        }
        try FileManager.default.removeItem(atPath: tls.keyPath)
        let missing = try await tls.base.latchd("check")
        #expect(missing.status == 78 && missing.errors.contains("Could not read the key '\(tls.keyPath)'"))
    }

    @Test func `plain HTTP for the network does not start, and the remedy is one sentence`() async throws {
        let fixture = try SystemFixture(["LATCHD_LISTEN": "0.0.0.0:0"])
        for command in ["check", "serve"] {
            let result = try await fixture.latchd(command)
            #expect(result.status == 78)
            #expect(result.errors.contains("listen would serve plain HTTP, including passwords, to the network"))
            #expect(result.errors.contains("tls.certificate") && result.errors.contains("trusted_proxies"))
            #expect(result.errors.split(separator: "\n").count == 1)
        }
    }

    @Test(.enabled(if: outerAddress != nil, "this machine has no address but loopback"))
    func `with a trusted proxy, plain HTTP is refused from other machines and accepted from this one`() async throws {
        let outer = try #require(outerAddress)
        let fixture = try SystemFixture(["LATCHD_TRUSTED_PROXIES": "198.51.100.7"])
        let gateway = try await fixture.startGateway(host: "0.0.0.0")
        let client = try HTTPClient()

        let remote = try await client.send(ClientRequest(url: "http://\(outer):\(gateway.port)/healthz"))
        #expect(remote.status == .forbidden)
        #expect(String(decoding: remote.body, as: UTF8.self).contains("only from this machine"))
        let line = try await gateway.program.line(containing: "Plain HTTP requests were refused")
        #expect(line.contains(outer))
        #expect(try await client.send(ClientRequest(url: "http://127.0.0.1:\(gateway.port)/healthz")).status == .ok)
    }
}

/// An IPv4 address of this machine that is not loopback.
private let outerAddress: String? = {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return nil }
    defer { freeifaddrs(list) }
    for entry in sequence(first: list, next: { $0?.pointee.ifa_next }) {
        guard let entry, let address = entry.pointee.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET),
            entry.pointee.ifa_flags & UInt32(IFF_UP) != 0
        else { continue }
        var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
        address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            _ = inet_ntop(AF_INET, &$0.pointee.sin_addr, &text, socklen_t(INET_ADDRSTRLEN))
        }
        let name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if !name.hasPrefix("127.") { return name }
    }
    return nil
}()
