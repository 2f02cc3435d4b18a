import Foundation
import GatewayDialects
import LatchGateway
import TestSupport
import Testing

/// Servers that not everybody trusts.
@Suite("Trusting a server", .blocking, .timeLimit(.minutes(20)))
struct TrustTests {
    private func home() throws -> HomeFixture {
        var home = try HomeFixture()
        home.environment["LATCH_SECRETS_KEY"] = home.folder.file("key")
        return home
    }

    @Test("IM-16 a self-signed certificate is shown, confirmed once, and then stored")
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

            let whoami = try await home.latch("whoami")
            #expect(whoami.status == 0 && whoami.output.contains("checked with the server now"))
            let again = try await home.latch(
                "login", "127.0.0.1:\(front.port)", "-e", TestGateway.email, "--password-stdin",
                input: TestGateway.password)
            #expect(again.status == 0)
            #expect(try await home.latch("doctor").status == 0)
        }
    }

    @Test("an untrusted certificate ends with 78, and nothing is stored", arguments: ["n\n", "\n", "\u{4}"])
    func declined(_ response: String) async throws {
        try await TestGateway.with { server in
            let home = try home()
            let front = try await TLSFront(to: server.port, in: home.folder)
            let login = try home.terminal("login", "127.0.0.1:\(front.port)", "--email", TestGateway.email)

            try login.wait(for: "Trust this certificate? [y/N]")
            login.type(response)

            #expect([66, 78].contains(try login.end()))
            #expect(!login.screen.contains("Password of"))
            #expect(try await home.latch("accounts").output.isEmpty)
        }
    }

    @Test("IM-16 without a terminal the error names the remedy, and a pin or an authority is accepted")
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
            let json = try HomeFixture.json(doctor)
            #expect((json["certificate"] as? [String: Any])?["sha256"] as? String == front.fingerprint)
            #expect((json["error"] as? [String: Any])?["code"] as? String == "certificate_self_signed")

            let wrong = try await home.latch("doctor", address, "--pin", String(repeating: "00", count: 32))
            #expect(wrong.status == 78)
            #expect(try await home.latch("doctor", address, "--pin", front.fingerprint).status == 0)
            #expect(try await home.latch("doctor", address, "--ca", front.certificate).status == 0)
        }
    }

    @Test("a client certificate is shown, stored and used by later commands")
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

    @Test("OX-16 an extra header from a file is sent with every request and is in no file unsealed")
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
                #expect(!bytes.leaks("open-sesame-7"), "\(path) holds the header")
            }
        }
    }

    @Test("trust is shown and changed without signing out, after a test or with --force")
    func changeTrust() async throws {
        try await TestGateway.with { server in
            let home = try home()
            let front = try await TLSFront(to: server.port, in: home.folder)
            let login = try await home.latch(
                "login", "https://127.0.0.1:\(front.port)", "-e", TestGateway.email, "--password-stdin", "--pin",
                front.fingerprint, input: TestGateway.password)
            #expect(login.status == 0, "\(login.errors)")
            #expect(try await home.latch("tls").output.contains("only the certificate \(front.fingerprint)"))

            let refused = try await home.latch("tls", "--no-pin")
            #expect(refused.status == 78 && refused.errors.contains("Nothing was changed"))
            #expect(refused.errors.contains("--force"))
            #expect(try await home.latch("whoami").output.contains("checked with the server now"))

            let own = try await home.latch("tls", "--no-pin", "--ca-only", "tls.crt", "--json")
            let json = try HomeFixture.json(own)
            #expect(own.status == 0 && json["authorities"] as? String == "file", "\(own.errors)")
            #expect(json["authoritiesFile"] as? String == front.certificate && json["pinnedCertificate"] is NSNull)
            #expect(try await home.latch("whoami").output.contains("checked with the server now"))

            let forced = try await home.latch("tls", "--system", "--force", "1")
            #expect(forced.status == 0)
            #expect(forced.errors.contains("The change was stored, although the server was not reached"))
            #expect(try await home.latch("whoami").errors.contains("certificate"))
            #expect(try await home.latch("tls", "--ca", "tls.crt", "--proxy", "none").status == 0)
            #expect(try await home.latch("whoami").output.contains("checked with the server now"))
            #expect(try await home.latch("logout").status == 0)
            #expect(try await server.liveSessions() == 0)
        }
    }

    @Test(
        "invalid options of `latch tls` are reported",
        arguments: [
            (["--ca", "a", "--ca-only", "b"], 64, "either --ca or --ca-only"),
            (["--ca", "tls", "--system"], 64, "either --system"), (["--pin", "00", "--no-pin"], 64, "fingerprint"),
            (["--client-key", "k"], 64, "--client-certificate"), (["--ca", "nowhere.pem"], 66, "nowhere.pem"),
            (["--client-certificate", "me.pem"], 65, "not encrypted"),
            (["--pin", String(repeating: "00", count: 32)], 65, "latch login https://127.0.0.1"),
            (["--proxy", "http://u:p@h"], 64, "@FILE"),
            (["nobody@example.org"], 66, "no account"),
        ])
    func invalidOptions(_ words: [String], _ status: Int32, _ part: String) async throws {
        try await TestGateway.with { server in
            let home = try home()
            _ = try await home.latch(
                "login", server.url, "-e", TestGateway.email, "--password-stdin", input: TestGateway.password)

            let response = try await home.latch(["tls"] + words)

            #expect(response.status == status && response.errors.contains(part), "\(response.errors)")
            #expect(try await home.latch("tls").output.contains("the system's authorities"))
        }
    }

    @Test("an invalid certificate file is refused before a passphrase is requested, and nothing is changed")
    func noCertificate() async throws {
        try await TestGateway.with { server in
            let home = try home()
            let front = try await TLSFront(to: server.port, in: home.folder)
            let login = try await home.latch(
                "login", "https://127.0.0.1:\(front.port)", "-e", TestGateway.email, "--password-stdin", "--pin",
                front.fingerprint, input: TestGateway.password)
            #expect(login.status == 0, "\(login.errors)")
            try home.folder.write("Dear diary", to: "diary")
            try home.folder.write("0\u{0}", to: "short")
            for file in ["diary", "short"] {
                let terminal = try home.terminal("tls", "--client-certificate", home.folder.file(file))
                #expect(try terminal.end() == 65)
                #expect(terminal.screen.contains("must be PEM") && !terminal.screen.contains("Passphrase"))
            }
            let result = try await home.latch("tls", "--client-certificate", "nowhere.pem")
            #expect(result.status == 66 && result.errors.contains("nowhere.pem"))
            let exported = try await Program.run(
                "openssl",
                [
                    "pkcs12", "-export", "-in", front.certificate, "-inkey", front.key, "-out",
                    home.folder.file("me.p12"), "-passout", "pass:",
                ])
            #expect(exported.status == 0)
            let terminal = try home.terminal("tls", "--client-certificate", home.folder.file("me.p12"))
            try terminal.wait(for: "Passphrase of")
            terminal.type("\n")
            #expect(try terminal.end() == 0, "\(terminal.screen)")
        }
    }

    @Test("a missing file of authorities ends with 78 and the remedy, and no account is signed out")
    func missingAuthorities() async throws {
        try await TestGateway.with { server in
            let home = try home()
            let front = try await TLSFront(to: server.port, in: home.folder)
            let (original, moved) = (home.folder.file("ca.pem"), home.folder.file("moved.pem"))
            try FileManager.default.copyItem(atPath: front.certificate, toPath: original)
            let login = try await home.latch(
                "login", "https://127.0.0.1:\(front.port)", "-e", TestGateway.email, "--password-stdin", "--ca",
                "ca.pem",
                input: TestGateway.password)
            #expect(login.status == 0, "\(login.errors)")
            try FileManager.default.moveItem(atPath: original, toPath: moved)

            for arguments in [["whoami"], ["request", "GET", "/api/me"]] {
                let response = try await home.latch(arguments)
                #expect(response.status == 78 && response.errors.contains("ca.pem"), "\(response.errors)")
                #expect(response.errors.contains("latch tls ada@example.org --ca FILE"))
            }
            let doctor = try await home.latch("doctor")
            #expect(doctor.status == 78 && doctor.output.contains("--  connection  Skipped."), "\(doctor.output)")
            #expect(doctor.output.contains("no  trust       Could not read the authorities"))
            #expect(try await home.latch("tls", "--ca", moved).status == 0)
            #expect(try await home.latch("whoami").output.contains("checked with the server now"))
        }
    }

    @Test("latch doctor reports its own version, and a proxy only if there is one")
    func doctor() async throws {
        try await TestGateway.with { server in
            let home = try home()
            let login = try await home.latch(
                "login", server.url, "-e", TestGateway.email, "--password-stdin", "--proxy", "none",
                input: TestGateway.password)
            #expect(login.status == 0, "\(login.errors)")
            let version = try await home.latch("--version").output.trimmingCharacters(in: .newlines)
            let doctor = try await home.latch("doctor")
            #expect(version.hasPrefix("latch ") && doctor.output.contains("by \(version)\n"), "\(doctor.output)")
            #expect(doctor.errors.contains("ada@example.org: no proxy."), "\(doctor.errors)")
            let json = try HomeFixture.json(try await home.latch("doctor", "--json"))
            #expect("latch \(json["version"] as? String ?? "")" == version)
        }
    }

    @Test(
        "fields that would break a request or the session are refused; a cookie is stored as a secret",
        arguments: [
            "Host", "content-length", "Transfer-Encoding", "Connection", "Upgrade", "TE", "Trailer", "Keep-Alive",
            "Proxy-Authorization", "Proxy-Connection", "Expect", "Content-Type", "Range", "Authorization",
        ])
    func reserved(_ name: String) async throws {
        try await TestGateway.with { server in
            let home = try home()
            _ = try await home.latch(
                "login", server.url, "-e", TestGateway.email, "--password-stdin", input: TestGateway.password)
            let refused = try await home.latch("headers", "set", name, "hunter2-hunter2")
            #expect(refused.status == 65 && refused.errors.contains("Leave it out"), "\(refused.errors)")
            #expect(!refused.errors.leaks("hunter2-hunter2"))
            let login = try await home.latch(
                "login", server.url, "-e", TestGateway.email, "--password-stdin", "--header",
                "\(name): hunter2-hunter2",
                input: TestGateway.password)
            #expect(login.status == 65 && login.errors.contains("Leave it out"), "\(login.errors)")
            #expect(try await home.latch("headers", "list").output.isEmpty)
        }
    }

    @Test("a sign-in proxy's cookie is sent with every request, stored with the secrets and never shown")
    func cookie() async throws {
        try await TestGateway.with { server in
            let home = try home()
            _ = try await home.latch(
                "login", server.url, "-e", TestGateway.email, "--password-stdin", input: TestGateway.password)
            let set = try await home.latch("headers", "set", "Cookie", "@-", input: "authelia_session=open-sesame-3\n")
            #expect(set.status == 0, "\(set.errors)")
            let seen = try await home.latch("request", "GET", "/api/headers").output
            #expect(seen.contains("Cookie: authelia_session=open-sesame-3"))
            for arguments in [["headers", "list"], ["tls"], ["doctor"], ["whoami"], ["logs"], ["tls", "--json"]] {
                let response = try await home.latch(arguments)
                #expect(
                    response.status == 0 && !(response.output + response.errors).leaks("open-sesame-3"), "\(arguments)")
            }
            for (path, bytes) in home.everythingOnDisk() {
                #expect(!bytes.leaks("open-sesame-3"), "\(path) holds the cookie")
            }
        }
    }

    @Test("IM-9 if the server family has another field for its token, Authorization is free for a proxy")
    func authorization() async throws {
        try await TestGateway.with { settings in
            settings.immich.isEnabled = true
            settings.onyx.isEnabled = false
        } _: { server in
            let home = try home()
            let login = try await home.latch(
                "login", server.url, "-e", TestGateway.email, "--password-stdin", "--header",
                "Authorization: Basic b3Blbi1zZXNhbWU=", input: TestGateway.password)
            #expect(login.status == 0, "\(login.errors)")
            #expect(try await home.latch("whoami").output.contains("checked with the server now"))
            #expect(try await home.latch("headers", "list").output == "Authorization\n")
            #expect(try await home.latch("headers", "set", "Authorization", "Basic eA==").status == 0)
            #expect(try await home.latch("logout").status == 0)
            #expect(try await server.liveSessions() == 0)
        }
    }

    @Test("headers are set from arguments, a file and standard input, listed by name and removed, but never shown")
    func changeHeaders() async throws {
        try await TestGateway.with { server in
            let home = try home()
            _ = try await home.latch(
                "login", server.url, "-e", TestGateway.email, "--password-stdin", input: TestGateway.password)
            try home.folder.write("X-Access-Key: open-sesame-8\nX-Other: 2\n", to: "headers")

            #expect(try await home.latch("headers", "set", "@headers").status == 0)
            #expect(try await home.latch("headers", "set", "x-third", "@-", input: "open-sesame-9\n").status == 0)
            #expect(try await home.latch("headers", "set", "X-Other", "3").status == 0)
            let list = try await home.latch("headers", "list")
            #expect(list.output == "X-Access-Key\nx-third\nX-Other\n" && list.status == 0)
            let seen = try await home.latch("request", "GET", "/api/headers").output
            #expect(seen.contains("X-Access-Key: open-sesame-8") && seen.contains("X-Other: 3"))
            #expect(seen.contains("x-third: open-sesame-9") && !seen.contains("X-Other: 2"))
            for (path, bytes) in home.everythingOnDisk() where !path.hasSuffix("headers") {
                #expect(!bytes.leaks("open-sesame-8") && !bytes.leaks("open-sesame-9"), "\(path) holds a header")
            }

            #expect(try await home.latch("headers", "remove", "X-ACCESS-KEY").status == 0)
            let removedAgain = try await home.latch("headers", "remove", "X-Access-Key")
            #expect(removedAgain.status == 65 && removedAgain.errors.contains("No field 'X-Access-Key'"))
            for arguments in [
                ["set", "Authorization", "x"], ["set", "X Y", "x"], ["set", "X:Y", "x"], ["set", "X", "a\u{7}b"],
            ] {
                let refused = try await home.latch(["headers"] + arguments)
                #expect(refused.status == 65 && !refused.errors.contains("a\u{7}b"), "\(arguments)")
            }
            #expect(try await home.latch("headers", "set", "X").status == 64)
        }
    }
}
