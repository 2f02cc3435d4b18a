import Crypto
import Foundation
import HTTPClient
import HTTPMessages
import Synchronization
import TestSupport
import Testing

/// Downloads that go on where they broke off, against servers that do right and wrong.
@Suite(.timeLimit(.minutes(20))) struct ResumeTests {
    private let folder: TemporaryDirectory
    private var path: String { folder.file("picture.part") }
    private static let bytes = patternBytes(100_000)
    private static let old = "Thu, 01 Jan 2026 00:00:00 GMT"

    init() throws { folder = try TemporaryDirectory() }

    /// Downloads until the connection is cut after `count` bytes, and tells where it stands.
    private func begin(_ server: FaultServer, cutAfter count: Int) async throws -> ResumePoint {
        let part = try DownloadPart(path: path)
        defer { part.close() }
        let startPoint = Mutex<ResumePoint?>(nil)
        let error = await #expect(throws: TransportError.self) {
            try await withClient {
                try await $0.download(ClientRequest(url: server.url("/a")), into: part) { point in
                    startPoint.withLock { $0 = point }
                }
            }
        }
        #expect(error?.code == .closedEarly && part.count == count && part.total == Self.bytes.count)
        var point = try #require(startPoint.withLock { $0 })
        point.count = part.count
        return point
    }

    /// Goes on, and tells the part's bytes and the status.
    private func resumeDownload(_ server: FaultServer, _ point: ResumePoint) async throws -> (
        bytes: [UInt8], status: Int
    ) {
        let part = try DownloadPart(path: path)
        defer { part.close() }
        try await part.beginDigest(of: point.count)
        let response = try await withClient {
            try await $0.download(ClientRequest(url: server.url("/a")), into: part, from: point)
        }
        let written = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(part.finishDigest() == Self.sha1(written) && part.count == written.count)
        return (written, response.status.rawValue)
    }

    private static func sha1(_ bytes: [UInt8]) -> [UInt8]? {
        guard var hash = InsecureSHA1() else { return nil }
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.finish()
    }

    private func cutting(
        after count: Int, entityTag: String? = "\"1\"", modified: String? = nil
    ) throws -> FaultServer {
        try FaultServer { request in
            var response = FaultServer.Response.file(
                Self.bytes, to: request, entityTag: entityTag, modified: modified)
            if request.headers["range"] == nil { response.cutAfter = count }
            return response
        }
    }

    @Test(
        "DL-13 only the rest is requested, with the strongest allowed If-Range",
        arguments: [
            ("\"1\"", nil, "\"1\""), ("\"1\"", Self.old, "\"1\""), (nil, Self.old, Self.old),
            ("W/\"1\"", Self.old, nil),
        ] as [(String?, String?, String?)])
    func resumes(_ entityTag: String?, _ modified: String?, _ condition: String?) async throws {
        let server = try cutting(after: 40_000, entityTag: entityTag, modified: modified)
        let point = try await begin(server, cutAfter: 40_000)
        let (bytes, status) = try await resumeDownload(server, point)
        #expect(bytes == Self.bytes && status == 206)
        let asked = try #require(server.requests.last)
        #expect(asked.headers["range"] == "bytes=40000-" && asked.headers["if-range"] == condition)
        #expect(server.requests.count == 2)
    }

    @Test(
        "DL-13 a response that is not the rest of the same file restarts it, and is never appended",
        arguments: [
            "whole", "other tag", "other time", "weak tag of another", "no validator", "other start", "other length",
            "no Content-Range", "unknown length", "416", "another unit",
        ])
    func changed(_ fault: String) async throws {
        let modified = Self.old
        let server = try cutting(after: 40_000, entityTag: "W/\"1\"", modified: modified)
        let point = try await begin(server, cutAfter: 40_000)
        let other = Self.bytes.map { ~$0 }
        server.script { request in
            var response = FaultServer.Response.file(other, to: request, entityTag: "W/\"1\"", modified: modified)
            guard request.headers["range"] != nil else { return response }
            func set(_ name: String, _ value: String?) {
                response.headers.removeAll { $0.0 == name }
                if let value { response.headers.append((name, value)) }
            }
            switch fault {
            case "whole": return .init(headers: [("ETag", "W/\"1\"")], body: other)
            case "other tag": set("ETag", "\"2\"")
            case "weak tag of another": set("ETag", "W/\"2\"")
            case "other time": set("Last-Modified", "Fri, 02 Jan 2026 00:00:00 GMT")
            case "no validator":
                set("ETag", nil)
                set("Last-Modified", nil)
            case "other start": set("Content-Range", "bytes 39999-99998/100000")
            case "other length": set("Content-Range", "bytes 40000-99999/100001")
            case "no Content-Range": set("Content-Range", nil)
            case "unknown length": set("Content-Range", "bytes 40000-99999/*")
            case "another unit": set("Content-Range", "pages 40000-99999/100000")
            default: return .init(status: 416, headers: [("Content-Range", "bytes */30000")])
            }
            return response
        }
        let (bytes, status) = try await resumeDownload(server, point)
        #expect(bytes == other && status == 200)
    }

    @Test("DL-13 without a validator, or with fewer bytes than recorded, the download starts again")
    func nothingToResume() async throws {
        let server = try cutting(after: 40_000, entityTag: nil)
        let point = try await begin(server, cutAfter: 40_000)
        #expect(!point.canResume)
        server.script { .file(Self.bytes, to: $0) }
        #expect(try await resumeDownload(server, point).bytes == Self.bytes)
        var ahead = point
        (ahead.entityTag, ahead.count) = ("\"1\"", 200_000)
        try folder.write("short", to: "picture.part")
        let part = try DownloadPart(path: path)
        let response = try await withClient {
            try await $0.download(ClientRequest(url: server.url("/a")), into: part, from: ahead)
        }
        #expect(response.status == .ok && part.count == Self.bytes.count)
        #expect(server.requests.allSatisfy { $0.headers["range"] == nil })
    }

    @Test(
        "DL-13 without a strong entity tag or a time older than a minute, two responses are never combined",
        arguments: [
            (nil, "Sat, 21 Nov 2026 12:00:00 GMT"), (nil, "Sat, 21 Nov 2026 11:59:59 GMT"),
            ("W/\"1\"", "Sat, 21 Nov 2026 11:59:59 GMT"), ("W/\"1\"", nil),
        ] as [(String?, String?)])
    func weakValidators(_ entityTag: String?, _ modified: String?) async throws {
        let server = try cutting(after: 40_000, entityTag: entityTag, modified: modified)
        let point = try await begin(server, cutAfter: 40_000)
        #expect(!point.canResume && !point.identifiesVersion)
        // Within that second another file of equal length replaced it, with the same time.
        let other = Self.bytes.map { ~$0 }
        server.script { .file(other, to: $0, entityTag: entityTag, modified: modified) }
        let (bytes, status) = try await resumeDownload(server, point)
        #expect(bytes == other && status == 200)
        #expect(server.requests.allSatisfy { $0.headers["range"] == nil })
    }

    @Test("DL-13 a response to a matching If-Range may omit Last-Modified")
    func omittedLastModified() async throws {
        let server = try cutting(after: 40_000, modified: Self.old)
        let point = try await begin(server, cutAfter: 40_000)
        server.script { request in
            var response = FaultServer.Response.file(Self.bytes, to: request, modified: Self.old)
            response.headers.removeAll { $0.0 == "Last-Modified" }
            return response
        }
        let (bytes, status) = try await resumeDownload(server, point)
        #expect(bytes == Self.bytes && status == 206)
    }

    @Test("DL-13 bytes after the recorded ones are removed first")
    func excessBytes() async throws {
        let server = try cutting(after: 40_000)
        var point = try await begin(server, cutAfter: 40_000)
        point.count = 30_000
        #expect(try await resumeDownload(server, point).bytes == Self.bytes)
        #expect(server.requests.last?.headers["range"] == "bytes=30000-")
    }

    @Test(
        "DL-13 an error response leaves the part unchanged, and its body stays in memory",
        arguments: [401, 403, 404, 429, 503])
    func refused(_ status: Int) async throws {
        let server = try cutting(after: 40_000)
        let point = try await begin(server, cutAfter: 40_000)
        server.script { _ in .init(status: status, headers: [("Retry-After", "3")], body: Array("no".utf8)) }
        let (bytes, code) = try await resumeDownload(server, point)
        #expect(bytes == Array(Self.bytes[..<40_000]) && code == status)
    }

    @Test("DL-13 a stalled transfer fails, and the part keeps the received bytes")
    func stalled() async throws {
        let server = try FaultServer { request in
            var response = FaultServer.Response.file(Self.bytes, to: request)
            if request.headers["range"] == nil { response.stallAfter = 40_000 }
            return response
        }
        let part = try DownloadPart(path: path)
        // A busy machine may give up before the 40,000 bytes came. The part keeps what came, and the next attempt waits
        // longer.
        for seconds in [1, 4, 16, 64] where part.count < 40_000 {
            try part.empty()
            let error = await #expect(throws: TransportError.self) {
                try await withClient {
                    try await $0.download(
                        ClientRequest(url: server.url("/a"), timeout: nil, stallTimeout: .seconds(seconds)), into: part)
                }
            }
            #expect(error?.code == .timedOut)
            #expect(try Array(Data(contentsOf: URL(filePath: path))) == Array(Self.bytes[..<part.count]))
        }
        #expect(part.count == 40_000)
    }

    @Test(
        "DL-13 a response with a wrong length, or a compressed one, is not saved as a file", arguments: [true, false])
    func wrongLength(_ isCompressed: Bool) async throws {
        let server = try FaultServer { request in
            var response = FaultServer.Response.file(Self.bytes, to: request)
            if isCompressed {
                response.headers.append(("Content-Encoding", "gzip"))
            } else {
                response.announced = 100_001
            }
            return response
        }
        let part = try DownloadPart(path: path)
        let error = await #expect(throws: TransportError.self) {
            try await withClient {
                try await $0.download(
                    ClientRequest(url: server.url("/a"), stallTimeout: .seconds(isCompressed ? 60 : 1)), into: part)
            }
        }
        #expect(isCompressed ? error?.code == .invalidResponse : [.closedEarly, .timedOut].contains(error?.code))
    }

    @Test("DL-2 a part becomes a new file with its time, or stays a part if the name is taken")
    func publishes() async throws {
        let part = try DownloadPart(path: path)
        let server = try FaultServer { .file(Self.bytes, to: $0) }
        _ = try await withClient { try await $0.download(ClientRequest(url: server.url("/a")), into: part) }
        try folder.write("mine", to: "picture")
        let error = await #expect(throws: TransportError.self) {
            try await part.publish(as: folder.file("picture"), modified: Date(timeIntervalSince1970: 1_000_000_000))
        }
        #expect(error?.code == .fileExists)
        #expect(try String(contentsOfFile: folder.file("picture"), encoding: .utf8) == "mine")
        try await part.publish(as: folder.file("picture 2"), modified: Date(timeIntervalSince1970: 1_000_000_000))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("picture 2"))
        #expect(attributes[.modificationDate] as? Date == Date(timeIntervalSince1970: 1_000_000_000))
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
