import Foundation
import TestSupport
import Testing

/// `latch download` with whole addresses, as people type and paste them.
@Suite("File URLs", .blocking, .timeLimit(.minutes(20))) struct DownloadAddressTests {
    @Test("DL-3 a URL finds its account in every spelling, and is the same file in every spelling")
    func equivalentURLs() async throws {
        let fixture = try await FileServerFixture(host: "localhost")
        let port = fixture.server.port
        let first = try await fixture.download("HTTP://LOCALHOST.:\(port)/files/%7eada.bin#page=2")
        let second = try await fixture.download("--account", "1", "http://localhost:\(port)/files/~ada.bin")
        #expect(first.status == 0 && first.output.contains("1 file downloaded"), "\(first.errors)")
        #expect(second.status == 0 && second.errors.contains("The file is already here"), "\(second.errors)")
        #expect(fixture.file("~ada.bin") == FileServerFixture.bytes("~ada.bin"))
    }

    @Test("DL-3 another server's URL is reported in one message, and one with a password is refused unshown")
    func otherServers() async throws {
        let fixture = try await FileServerFixture()
        let otherHost = try await fixture.download("https://files.example/a.bin")
        let named = try await fixture.download("--account", "1", "https://files.example/a.bin")
        let password = try await fixture.download(
            "http://ada:open-sesame-1@127.0.0.1:\(fixture.server.port)/files/a.bin")
        #expect(otherHost.status == 77)
        #expect(
            otherHost.errors == """
                latch: You are not signed in to https://files.example.
                Sign in: latch login https://files.example; or give a URL on a server that you are signed in to: latch \
                accounts

                """)
        #expect(named.status == 65 && named.errors.contains("The file is at https://files.example"))
        #expect(password.status == 65 && password.errors.contains("user name or password before the '@'"))
        #expect(!password.errors.leaks("open-sesame-1"))
        #expect(fixture.server.requests.allSatisfy { !$0.path.hasPrefix("/files/") })
    }

    @Test("DL-3 a URL may contain spaces and non-ASCII letters")
    func nonASCIICharacters() async throws {
        let fixture = try await FileServerFixture()
        fixture.intercept { request in
            request.path == "/files/%C3%9Cber%20uns.pdf" ? .file(FileServerFixture.bytes("u"), to: request) : nil
        }
        let path = try await fixture.download("/files/Über uns.pdf")
        let complete = try await fixture.download(fixture.server.url("/files/Über%20uns.pdf"))
        #expect(path.status == 0 && fixture.file("Über uns.pdf") == FileServerFixture.bytes("u"), "\(path.errors)")
        #expect(complete.errors.hasPrefix("The file is already here"), "\(complete.errors)")
    }

    @Test("DL-13 a missing file at a given URL is a failure and does not count as deleted")
    func missing() async throws {
        let fixture = try await FileServerFixture()
        let missing = try await fixture.download("/elsewhere/a.bin")
        #expect(missing.status == 1, "\(missing.errors)")
        #expect(missing.errors.contains("There is no file at \(fixture.server.url("/elsewhere/a.bin"))."))
    }
}
