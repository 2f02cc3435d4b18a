import Foundation
import TestSupport
import Testing

/// Servers that not everybody trusts.
@Suite("Trusting a server", .timeLimit(.minutes(3)))
struct TrustTests {
    private func home() throws -> Home {
        var home = try Home()
        home.environment["LATCH_SECRETS_KEY"] = home.folder.file("key")
        return home
    }

    @Test("IM-16 a self-signed certificate is shown and asked about once, and remembered after a yes")
    func asksOnce() async throws {
        try await TestGateway.with { server in
            let home = try home()
            let front = try await TLSFront(to: server.port, in: home.folder)
            let login = try home.terminal("login", "127.0.0.1:\(front.port)", "--email", TestGateway.email)

            try login.wait(for: "Trust this certificate? [y/N]")
            #expect(login.screen.contains(front.fingerprint))
            #expect(login.screen.contains("self-signed") && login.screen.contains("Valid"))
            #expect(!login.screen.contains("\u{1B}[31mred"))
            login.type("y\n")
            try login.wait(for: "Password of")
            login.type("\(TestGateway.password)\n")
            #expect(try login.end() == 0)

            let who = try await home.latch("whoami")
            #expect(who.status == 0 && who.output.contains("checked with the server now"))
            let again = try await home.latch(
                "login", "127.0.0.1:\(front.port)", "-e", TestGateway.email, "--password-stdin",
                input: TestGateway.password)
            #expect(again.status == 0)
            #expect(try await home.latch("doctor").status == 0)
        }
    }

    @Test("a certificate that is not trusted ends with 78, and nothing is kept", arguments: ["n\n", "\n", "\u{4}"])
    func declined(_ answer: String) async throws {
        try await TestGateway.with { server in
            let home = try home()
            let front = try await TLSFront(to: server.port, in: home.folder)
            let login = try home.terminal("login", "127.0.0.1:\(front.port)", "--email", TestGateway.email)

            try login.wait(for: "Trust this certificate? [y/N]")
            login.type(answer)

            #expect([66, 78].contains(try login.end()))
            #expect(!login.screen.contains("Password of"))
            #expect(try await home.latch("accounts").output.isEmpty)
        }
    }

    @Test("IM-16 without a terminal the remedy is named, and a pin or an authority lets in")
    func pinned() async throws {
        try await TestGateway.with { server in
            let home = try home()
            let front = try await TLSFront(to: server.port, in: home.folder)
            let address = "https://127.0.0.1:\(front.port)"

            let refused = try await home.latch(
                "login", address, "-e", TestGateway.email, "--password-stdin", input: TestGateway.password)
            #expect(refused.status == 78 && refused.output.isEmpty)
            #expect(refused.errors.contains("--pin \(front.fingerprint)"))

            let doctor = try await home.latch("doctor", address, "--json")
            #expect(doctor.status == 78)
            let json = try Home.json(doctor)
            #expect((json["certificate"] as? [String: Any])?["sha256"] as? String == front.fingerprint)
            #expect((json["error"] as? [String: Any])?["code"] as? String == "certificate_self_signed")

            let wrong = try await home.latch("doctor", address, "--pin", String(repeating: "00", count: 32))
            #expect(wrong.status == 78)
            #expect(try await home.latch("doctor", address, "--pin", front.fingerprint).status == 0)
            #expect(try await home.latch("doctor", address, "--ca", front.certificate).status == 0)
        }
    }

    @Test("a client certificate is shown, remembered and used by later commands")
    func clientCertificate() async throws {
        try await TestGateway.with { server in
            let home = try home()
            let front = try await TLSFront(to: server.port, in: home.folder, asksForCertificate: true)
            let address = "https://127.0.0.1:\(front.port)"
            let login = [
                "login", address, "-e", TestGateway.email, "--password-stdin", "--ca", front.certificate,
            ]

            let without = try await home.latch(login, input: TestGateway.password)
            // In TLS 1.3 the server refuses after the handshake, and the alert may get lost behind the closed connection.
            #expect([69, 78].contains(without.status))
            let with = try await home.latch(
                login + ["--client-certificate", "tls.crt", "--client-key", "tls.key"], input: TestGateway.password)
            #expect(with.status == 0, "\(with.errors)")

            #expect(try await home.latch("request", "GET", "/api/me").status == 0)
        }
    }

    @Test("OX-16 an extra header from a file goes with every request and stands in no file unsealed")
    func headers() async throws {
        try await TestGateway.with { server in
            let home = try home()
            try home.folder.write("X-Access-Key: open-sesame-7\n\nX-Other: 2\n", to: "headers")
            let login = try await home.latch(
                "login", server.url, "-e", TestGateway.email, "--password-stdin", "--header", "@headers",
                input: TestGateway.password)
            #expect(login.status == 0, "\(login.errors)")
            try FileManager.default.removeItem(atPath: home.folder.file("headers"))

            let seen = try await home.latch("request", "GET", "/api/headers")
            #expect(seen.output.contains("X-Access-Key: open-sesame-7") && seen.output.contains("X-Other: 2"))
            for (path, bytes) in home.everythingOnDisk() {
                #expect(bytes.range(of: Data("open-sesame-7".utf8)) == nil, "\(path) holds the header")
            }
        }
    }
}
