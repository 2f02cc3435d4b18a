import Foundation
import TestSupport
import Testing

/// By what `latch downloads pause` and its like know a file.
@Suite("Names of files in the queue", .blocking, .timeLimit(.minutes(20))) struct DownloadNameTests {
    private static let secret = "oPEn-seSAme-0123456789"

    /// A queue with files that failed: two at plain addresses, three behind a query, of which two at one path.
    private func fixture() async throws -> FileServerFixture {
        let fixture = try await FileServerFixture(host: "localhost")
        fixture.intercept { $0.path.hasPrefix("/files/") ? .init(status: 403) : nil }
        let failed = try await fixture.download(
            "/files/a", "/files/b", "/files/c?k=\(Self.secret)", "/files/d?k=\(Self.secret)",
            "/files/d?k=\(Self.secret)2")
        try #require(failed.status == 1, "\(failed.errors)")
        return fixture
    }

    private func states(_ fixture: FileServerFixture) async throws -> [String] {
        try await fixture.home.latch("downloads", "list").output.split(separator: "\n").dropFirst().map { line in
            line.split(separator: " ").prefix(2).joined(separator: " ").replacing(
                "http://localhost:\(fixture.server.port)/files/", with: "")
        }
    }

    @Test("DL-12 of several ids the valid ones are processed, and the others reported")
    func validAndInvalidIDs() async throws {
        let fixture = try await fixture()
        let url = "http://localhost:\(fixture.server.port)"
        let retried = try await fixture.home.latch(
            "downloads", "retry", "\(url)/files/a", "\(url)/files/x?k=\(Self.secret)", "nonsense", "\(url)/files/a")
        let paused = try await fixture.home.latch("downloads", "pause", "/files/a", "/files/b", "--json")
        let wrong = try await fixture.home.latch("downloads", "cancel", "/files/b")
        let capital = try await fixture.home.latch("downloads", "clear", "\(url)/files/B")
        let secrets = try await fixture.home.latch(
            "downloads", "cancel", "https://ada:\(Self.secret)@a.example/b", "\(url)/c#token=\(Self.secret)", "--json")

        #expect(retried.status == 65 && retried.output == "1 file.\n")
        #expect(
            retried.errors.hasPrefix(
                "Not in the queue: '\(url)/files/x?…', 'nonsense'. List the files: latch downloads list\n"),
            "\(retried.errors)")
        #expect(paused.status == 65)
        #expect(
            try HomeFixture.json(paused)["files"] as? Int == 1
                && HomeFixture.json(paused)["missed"] as? [String] == ["/files/b"])
        #expect(wrong.status == 65 && wrong.errors.contains("There is nothing to cancel: '/files/b' is failed."))
        #expect(capital.status == 65 && capital.errors.contains("Not in the queue: '\(url)/files/B'"))
        #expect(secrets.status == 65 && !(secrets.output + secrets.errors).leaks(Self.secret), "\(secrets.errors)")
        #expect((secrets.output + secrets.errors).contains("…@a.example"), "\(secrets.output)")
        #expect(try await states(fixture).prefix(2) == ["paused a", "failed b"])
    }

    @Test("DL-12 a URL is found in every spelling, and without its query if that is unambiguous")
    func equivalentURLs() async throws {
        let fixture = try await fixture()
        let port = fixture.server.port
        let list = try await fixture.home.latch("downloads", "list", "--json")
        let rows = try #require(try HomeFixture.json(list)["downloads"] as? [[String: Any]])
        let ids = rows.compactMap { $0["id"] as? String }
        let results = [
            try await fixture.home.latch("downloads", "retry", "HTTP://LOCALHOST.:\(port)/files/%61#page"),
            try await fixture.home.latch("downloads", "retry", "/files/c"),
            try await fixture.home.latch("downloads", "retry", ids[3]),
            try await fixture.home.latch("downloads", "retry", "http://localhost:\(port)/files/d?k=\(Self.secret)2"),
        ]
        for result in results { #expect(result.status == 0 && result.output == "1 file.\n", "\(result.errors)") }
        #expect(
            try await states(fixture).map { $0.prefix { $0 != " " } } == [
                "waiting", "failed", "waiting", "waiting", "waiting",
            ])
        let either = try await fixture.home.latch("downloads", "cancel", "/files/d")
        #expect(either.status == 65 && ids[3...].allSatisfy { either.errors.contains("'\($0)'") }, "\(either.errors)")
        let another = try await fixture.home.latch(
            "downloads", "cancel", "http://localhost:\(port)/files/c?k=\(Self.secret)3")
        #expect(another.status == 65 && !another.errors.leaks(Self.secret), "\(another.errors)")
        let cancelled = try await fixture.home.latch("downloads", "cancel", ids[2], ids[3], ids[4])
        #expect(cancelled.status == 0 && cancelled.output == "3 files.\n", "\(cancelled.errors)")
    }
}
