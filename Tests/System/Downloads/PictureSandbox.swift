import Crypto
import Foundation
import HTTPMessages
import TestSupport
import Testing

/// The sandbox with a larger library of pictures than it comes with, each of them another.
struct PictureSandbox {
    private let fixture: SystemFixture
    private let sandbox: RunningSandbox
    private let url: String
    /// The bytes of each of Ada's and everybody's files by its name.
    let originals: [String: [UInt8]]

    /// Starts it, and copies its album so many times.
    init(copies: Int, _ random: inout SeededRandom) async throws {
        let outer = try SystemFixture()
        fixture = SystemFixture(sharing: outer, ["TMPDIR": outer.folder.path])
        sandbox = try await RunningSandbox(fixture)
        url = try #require(sandbox.json["immich"]?["url"]?.string)
        let files = FileManager.default
        let root = try #require(
            files.contentsOfDirectory(atPath: fixture.folder.path).first { $0.hasPrefix("latchd-sandbox") })
        let pictures = fixture.folder.file(root + "/pictures/ada@example.org/2024")
        let album = pictures + "/Sommer an der See"
        for copy in 1...copies {
            try files.createDirectory(atPath: pictures + "/\(copy)", withIntermediateDirectories: false)
            for name in try files.contentsOfDirectory(atPath: album) {
                var bytes = Array(try Data(contentsOf: URL(filePath: album + "/" + name)))
                bytes += Self.tail(Int(random.next() % 60_000), of: copy, isFilm: !name.lowercased().hasSuffix("jpg"))
                try Data(bytes).write(to: URL(filePath: pictures + "/\(copy)/\(copy) \(name)"))
            }
        }
        var originals: [String: [UInt8]] = [:]
        for folder in ["ada@example.org", "shared"] {
            let folder = fixture.folder.file(root + "/pictures/" + folder)
            for case let path as String in files.enumerator(atPath: folder) ?? .init() where !path.hasPrefix(".") {
                guard let data = files.contents(atPath: folder + "/" + path) else { continue }
                originals[URL(filePath: path).lastPathComponent] = Array(data)
            }
        }
        self.originals = originals
        let asking = try await signIn()
        // The gateway looks through its folders by itself.
        while case let plan = try await asking.latch("download", "--all", "--dry-run", "--json"),
            try PictureFixture.events(plan.output).first?["files"]?.number != Double(originals.count)
        { try Task.checkCancellation() }
    }

    /// Bytes behind a picture's or video's end, which nothing that reads it looks at.
    private static func tail(_ count: Int, of copy: Int, isFilm: Bool) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* (copy | 1)) >> 3) } + [UInt8(copy)]
        guard isFilm else { return bytes }
        let length = bytes.count + 8
        return [UInt8(length >> 24), UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255)]
            + Array("free".utf8) + bytes
    }

    /// A new home with Ada signed in.
    func signIn() async throws -> PictureFixture {
        try await PictureFixture(signedInTo: url, email: sandbox.email, password: sandbox.password)
    }

    /// The SHA-256 of each file that is to be downloaded, by its name, as an undisturbed run downloads it.
    func files(_ mode: [String]) async throws -> [String: String] {
        let fixture = try await signIn()
        let result = try await fixture.latch(["download", "--all"] + mode)
        try #require(result.status == 0, "\(result.errors)")
        var sums: [String: String] = [:]
        for name in fixture.files() {
            let bytes = try fixture.bytes(name)
            if mode.isEmpty { #expect(bytes == originals[name], "\(name)") }
            sums[name] = SHA256.digest(bytes).hexadecimal
        }
        if mode.isEmpty { #expect(sums.count == originals.count) }
        return sums
    }

    /// How many files were asked for until now.
    func fetched() async throws -> Int {
        let page = try await Program.run("curl", ["-sS", url + "/metrics"]).output
        return page.split(separator: "\n").filter {
            $0.hasPrefix("latchd_http_requests_total{") && $0.contains("/original")
        }.reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) }
    }

    func end() async { await sandbox.end() }
}
