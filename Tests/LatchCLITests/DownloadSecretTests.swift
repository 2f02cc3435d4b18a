import Foundation
import TestSupport
import Testing

/// Addresses with a secret behind their `?`, as share links and signed addresses have.
@Suite("Secrets in URLs", .blocking, .timeLimit(.minutes(20))) struct DownloadSecretTests {
    private static let secret = "oPEn-seSAme-0123456789"

    private func check(_ fixture: FileServerFixture, _ results: [Program.Result]) {
        for result in results {
            #expect(!(result.output + result.errors).leaks(Self.secret), "\(result.output)\(result.errors)")
        }
        let disk = fixture.home.everythingOnDisk()
        #expect(disk.contains { $0.path.hasSuffix("latchstring.db") })
        for (path, bytes) in disk { #expect(!bytes.leaks(Self.secret), "\(path)") }
    }

    @Test("DL-4 the file of a shared link is downloaded, and its key is in no output and no file, also while it waits")
    func sharedLink() async throws {
        let query = "key=\(Self.secret)&slug=sea"
        let fixture = try await FileServerFixture(queries: ["sea.jpg": query])
        fixture.intercept { request in
            guard request.path.hasSuffix(query), request.headers["range"] == nil else { return nil }
            var response = FaultServer.Response.file(FileServerFixture.bytes("sea.jpg"), to: request)
            response.stallAfter = 1_000
            return response
        }
        let address = fixture.server.url("/files/sea.jpg?\(query)")
        let arguments = ["download", "--to", fixture.home.folder.file("Files"), address, "--json"]
        let running = try RunningProgram(HomeFixture.latch, arguments, environment: fixture.home.environment)
        try await running.line { $0.contains("\"received\":1000") }
        let waiting = try await fixture.home.latch("downloads", "list")
        running.send(SIGKILL)
        _ = await running.waitForExit()
        check(fixture, [waiting])
        #expect(waiting.output.contains("running  \(fixture.server.url("/files/sea.jpg?…"))"), "\(waiting.output)")

        let resumed = try await fixture.home.latch("download", "--json")
        let again = try await fixture.download(address)
        let other = try await fixture.download(fixture.server.url("/files/sea.jpg?key=another"))
        let list = try await fixture.home.latch("downloads", "list", "--json")
        #expect(
            resumed.status == 0 && fixture.file("sea.jpg") == FileServerFixture.bytes("sea.jpg"), "\(resumed.output)")
        #expect(again.status == 0 && again.errors.contains("The file is already here"), "\(again.errors)")
        #expect(other.status == 1 && other.errors.contains("denies access"), "\(other.errors)")
        #expect(fixture.server.requests.contains { $0.headers["range"] == "bytes=1000-" && $0.path.hasSuffix(query) })
        check(fixture, [resumed, again, other, list])
    }

    @Test("DL-13 however such a download fails, its secret is in no message, and a retry uses it")
    func failures() async throws {
        let fixture = try await FileServerFixture()
        let answers: [String: FaultServer.Response] = [
            "none": .init(status: 404, body: Array("nothing at ?token=\(Self.secret)".utf8)),
            "words": .init(
                status: 403, headers: [("Content-Type", "application/json")],
                body: Array(#"{"detail":"not with token=\#(Self.secret)"}"#.utf8)),
            "page": .init(headers: [("Content-Type", "text/html")], body: Array("<html></html>".utf8)),
            "moved": .init(status: 302, headers: [("Location", "/files/none?token=\(Self.secret)")]),
        ]
        fixture.intercept { request in
            answers.first { request.path.hasPrefix("/files/\($0.key)") }?.value
        }
        let addresses = answers.keys.map { fixture.server.url("/files/\($0)?token=\(Self.secret)") }
        let failed = try await fixture.home.latch(["download", "--to", fixture.home.folder.file("Files")] + addresses)
        let list = try await fixture.home.latch("downloads", "list", "--json")
        let cancelled = try await fixture.home.latch("downloads", "cancel", addresses[0])
        check(fixture, [failed, list, cancelled])
        #expect(failed.status == 1 && failed.output.contains("4 failed"), "\(failed.output)\(failed.errors)")

        fixture.intercept { _ in nil }
        let retried = try await fixture.home.latch("downloads", "retry")
        let came = try await fixture.home.latch("download")
        #expect(retried.output.hasPrefix("4 files.") && came.status == 0, "\(came.errors)")
        #expect(fixture.file("words") == FileServerFixture.bytes("words"))
        check(fixture, [retried, came])
    }

    @Test("Signing out deletes the key of the account's sealed URLs")
    func signedOut() async throws {
        let fixture = try await FileServerFixture()
        fixture.intercept { $0.path.hasPrefix("/files/") ? .init(status: 403) : nil }
        _ = try await fixture.download("/files/a?key=\(Self.secret)")
        let sealed = fixture.home.data + "/secrets.sealed"
        let before = FileManager.default.contents(atPath: sealed)?.count ?? 0
        let out = try await fixture.home.latch("logout")
        let after = FileManager.default.contents(atPath: sealed)?.count ?? 0
        #expect(out.status == 0 && after < before - 80, "\(before) → \(after)")
        check(fixture, [out])
    }
}
