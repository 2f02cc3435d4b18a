import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads

/// Files at addresses whose server sends on to another place.
@Suite(.timeLimit(.minutes(20)))
struct DownloadRedirectTests {
    private let fixture: DownloadFixture
    private static let secret = "oPEn-seSAme-0123456789"

    init() async throws { fixture = try await DownloadFixture() }

    /// Has a file's address lead to `target`.
    private func lead(_ name: String, to target: String, status: Int = 302) {
        fixture.intercept { request in
            request.path == "/files/\(name)" ? .init(status: status, headers: [("Location", target)]) : nil
        }
    }

    /// Fetches a file, and gives its end and everything that was told.
    private func fetch(
        _ name: String, group: DownloadGroup = .file, times: Int = 1
    ) async throws -> (state: DownloadState?, told: String) {
        let queue = fixture.queue(now: DownloadFixture.acceleratedClock())
        let events = fixture.collect(queue)
        if times == 1 { try await queue.add([fixture.task(name, group: group, name: name)]) }
        try await queue.run()
        return (try await fixture.state(name, queue), "\(await events())\(try await queue.tasks())")
    }

    private func isKept(_ text: String) throws -> Bool {
        for path in FileManager.default.enumerator(atPath: fixture.folder.path)?.allObjects as? [String] ?? [] {
            let bytes = FileManager.default.contents(atPath: fixture.folder.file(path)) ?? Data()
            if bytes.leaks(text) { return true }
        }
        return false
    }

    @Test("DL-3 a file is downloaded from a redirect; the redirect's signature is neither reported nor stored")
    func store() async throws {
        let cuts = Mutex(1)
        let bytes = fixture.bytes(of: "stored")
        let store = try FaultServer { request in
            guard request.path.hasSuffix(Self.secret) else { return .init(status: 403) }
            var response = FaultServer.Response.file(bytes, to: request)
            let left = cuts.withLock { left in
                left -= 1
                return left
            }
            if left >= 0 { response.cutAfter = 10_000 }
            return response
        }
        lead("a.bin", to: store.url("/bucket/stored?X-Amz-Signature=\(Self.secret)"))
        let (state, messages) = try await fetch("a.bin")
        #expect(try state == .done && fixture.file("a.bin") == bytes && fixture.parts().isEmpty)
        #expect(store.requests.allSatisfy { $0.headers["authorization"] == nil && $0.headers["cookie"] == nil })
        #expect(store.requests.last?.headers["range"] == "bytes=10000-")
        #expect(try !messages.leaks(Self.secret) && !isKept(Self.secret), "\(messages)")
    }

    @Test(
        "DL-13 an error of a redirect's host does not affect the account, and names that host",
        arguments: [
            (401, "denies access"), (403, "denies access"), (404, "There is no file"), (410, "no file"),
            (503, "reports an error"),
        ])
    func refused(_ status: Int, _ words: String) async throws {
        let store = try FaultServer { _ in
            .init(
                status: status, headers: [("Content-Type", "application/xml")],
                body: Array("<Sig>\(Self.secret)</Sig>".utf8))
        }
        lead("a.bin", to: store.url("/stored?sig=\(Self.secret)"))
        let (state, messages) = try await fetch("a.bin")
        #expect(state?.reason?.contains(words) ?? false, "\(messages)")
        #expect(state?.reason?.contains("redirected to '127.0.0.1:\(store.port)'") ?? false, "\(messages)")
        #expect(store.requests.count == (status == 503 ? 4 : 1))
        #expect(!fixture.server.requests.contains { $0.path == "/api/auth/mobile/refresh" })
        #expect(try !messages.leaks(Self.secret) && !isKept(Self.secret), "\(messages)")
    }

    @Test("DL-13 a file fails if its redirect's host is unreachable, and the server's other files are downloaded")
    func unreachableHost() async throws {
        let store = try FaultServer { _ in .init() }
        store.beginOutage()
        lead("a.bin", to: store.url("/stored?sig=\(Self.secret)"))
        let queue = fixture.queue(now: DownloadFixture.acceleratedClock())
        try await queue.add([
            fixture.task("a.bin", group: .file, name: "a.bin"), fixture.task("b.bin", group: .file, name: "b.bin"),
        ])
        try await queue.run()
        let reason = try await fixture.state("a.bin", queue)?.reason ?? ""
        #expect(
            reason.contains("redirected to another") && reason.contains(store.url("")) && !reason.leaks(Self.secret))
        #expect(try fixture.files() == ["b.bin"])
    }

    @Test("DL-13 a redirect to a web page is reported as such, and the received bytes are kept for resuming")
    func signInPage() async throws {
        let bytes = fixture.bytes(of: "a.bin")
        let isAway = Mutex(false)
        fixture.intercept { request in
            switch request.path {
            case "/files/a.bin":
                if isAway.withLock({ $0 }) { return .init(status: 302, headers: [("Location", "/login?back=x")]) }
                var response = FaultServer.Response.file(bytes, to: request)
                if request.headers["range"] == nil { response.cutAfter = 10_000 }
                if request.headers["range"] == nil { isAway.withLock { $0 = true } }
                return response
            case "/login?back=x":
                isAway.withLock { $0 = false }
                return .init(headers: [("Content-Type", "text/html")], body: Array("<html>Sign in</html>".utf8))
            default: return nil
            }
        }
        let reason = try await fetch("a.bin").state?.reason ?? ""
        #expect(reason.contains("a page on the same host") && fixture.parts().count == 1, "\(reason)")
        let queue = fixture.queue()
        try await queue.retryFailed()
        try await queue.run()
        #expect(try fixture.file("a.bin") == bytes)
        #expect(fixture.server.requests.last { $0.path == "/files/a.bin" }?.headers["range"] == "bytes=10000-")

        lead("b.bin", to: "https://auth.example.org/?rd=https%3A%2F%2Fx&rm=GET")
        #expect(try await fetch("b.bin").state?.reason?.contains("Authelia") ?? false)
        lead("c.bin", to: "/files/login.html")
        fixture.intercept { request in
            switch request.path {
            case "/files/c.bin": .init(status: 303, headers: [("Location", "/login")])
            case "/login": .init(headers: [("Content-Type", "text/html")], body: Array("<html>".utf8))
            default: nil
            }
        }
        let page = try await fetch("c.bin").state?.reason ?? ""
        #expect(page.contains("a page on the same host") && page.contains("It was tried 2 times"), "\(page)")
    }

    @Test(
        "DL-13 a redirect loop and a redirect to an unsupported scheme are reported and not retried",
        arguments: ["/files/a.bin", "ftp://x/"])
    func refusals(_ target: String) async throws {
        lead("a.bin", to: target)
        let reason = try await fetch("a.bin").state?.reason ?? ""
        #expect(reason.contains(target == "ftp://x/" ? "unsupported scheme" : "10 redirects"), "\(reason)")
        #expect(fixture.server.requests.count { $0.path == "/files/a.bin" } == (target == "ftp://x/" ? 1 : 11))
    }

    @Test("DL-13 redirects of library pictures are not followed")
    func picture() async throws {
        let store = try FaultServer { .file([1], to: $0) }
        lead("one", to: store.url("/one"))
        _ = try await fetch("one", group: .image)
        #expect(store.requests.isEmpty)
        #expect(try fixture.files().isEmpty)
    }
}
