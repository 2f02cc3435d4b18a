import Foundation
import TestSupport
import Testing

/// Originals that the real nginx sends for the gateway, by the file that operators get.
@Suite("Pictures that nginx sends", .blocking, .inTurn, .timeLimit(.minutes(10)))
struct PictureProxyTests {
    /// Whether nginx sent the file itself: its entity tags have two numbers, the gateway's have three.
    private static func isFromNginx(_ response: RawResponse) -> Bool {
        response["etag"]?.split(separator: "-").count == 2
    }

    private static let hostile = [
        "plain.jpg", "Möwen am See.jpg", "a?b.jpg", "a#b.jpg", "a%2e%2e%2fb.jpg", "%2e.%2f..%2fsecret.jpg", "%00.jpg",
        "%2e%2e/secret.jpg", "a\\..\\b.jpg", "a;b&c+d=e.jpg", "\"a\".jpg", "a\r\nX-Evil: 1\r\n.jpg", "a\nb.jpg",
        "$uri.jpg", "a..b/c..jpg.jpg", " a .jpg", "%.jpg", "X-Accel-Redirect: b.jpg",
        "long/" + String(repeating: "ö", count: 120) + ".jpg",
    ]

    @Test("DL-3 a file of any name is sent by nginx with the type, the name and the protection of the gateway")
    func hostileNames() async throws {
        try await PictureProxyFixture.with(Self.hostile) { fixture in
            let ids = try await fixture.ids(Self.hostile.count)
            for name in Self.hostile {
                let path = "/api/assets/\(try #require(ids[name], "\(name)"))/original"
                let (sent, direct) = (try await fixture.ask(path), try await fixture.askDirectly(path))
                #expect(sent.status == 200 && sent.text == name, "\(name): \(sent)")
                #expect(Self.isFromNginx(sent) && !Self.isFromNginx(direct), "\(name)")
                for field in [
                    "content-type", "content-disposition", "cache-control", "x-content-type-options",
                    "content-security-policy",
                ] { #expect(sent[field] == direct[field] && sent[field] != nil, "\(name): \(field)") }
                #expect(sent["x-correlation-id"] != nil && sent["x-request-id"] != nil)
                #expect(sent["x-accel-redirect"] == nil && sent["x-evil"] == nil)
            }
        }
    }

    @Test("DL-3 nginx evaluates ranges and conditions, and a file with too long an address is sent by the gateway")
    func conditions() async throws {
        let long = (1...10).map { _ in String(repeating: "ö", count: 40) }.joined(separator: "/") + "/long.jpg"
        try await PictureProxyFixture.with(["plain.jpg", long]) { fixture in
            let ids = try await fixture.ids(2)
            let path = "/api/assets/\(try #require(ids["plain.jpg"]))/original"
            let tag = try #require(try await fixture.ask(path)["etag"])
            let part = try await fixture.ask(path, ["Range: bytes=2-4", "If-Range: \(tag)"])
            #expect(part.status == 206 && part.text == "ain" && part["content-range"] == "bytes 2-4/9")
            #expect(try await fixture.ask(path, ["If-None-Match: \(tag)"]).status == 304)
            #expect(try await fixture.ask(path, ["Range: bytes=99-"]).status == 416)
            let head = try await fixture.head(path)
            #expect(head.hasPrefix("HTTP/1.1 200 ") && head.contains("\r\nContent-Length: 9\r\n"))
            #expect(head.contains("\r\nETag: \(tag)\r\n") && head.hasSuffix("\r\n\r\n"))

            let other = try await fixture.ask("/api/assets/\(try #require(ids[long]))/original")
            #expect(other.status == 200 && other.text == long && !Self.isFromNginx(other))
        }
    }

    @Test("DL-6 no client reaches the location of the files, whatever it sends")
    func internalLocation() async throws {
        try await PictureProxyFixture.with(["plain.jpg"]) { fixture in
            try PictureProxyFixture.put("bob's", "pictures/bob@example.org/shed.jpg", fixture.folder)
            let ids = try await fixture.ids(1)
            let location = "/.latchd/pictures/bob@example.org/shed.jpg"
            for path in [
                location, "/%2elatchd/pictures/bob@example.org/shed.jpg", "//.latchd/pictures/bob@example.org/shed.jpg",
                "/x/../.latchd/pictures/bob@example.org/shed.jpg",
                "/.latchd/pictures/../pictures/bob@example.org/shed.jpg",
                "/api/%2e%2e/.latchd/pictures/bob@example.org/shed.jpg",
            ] {
                for fields in [[], ["X-Accel-Redirect: \(location)", "X-Sendfile-Type: X-Accel-Redirect"]] {
                    let response = try await fixture.ask(path, fields)
                    #expect([400, 404].contains(response.status) && !response.text.contains("bob's"), "\(path)")
                }
            }
            // A client's own fields change nothing of what is sent.
            let path = "/api/assets/\(try #require(ids["plain.jpg"]))/original"
            for field in [
                "X-Accel-Redirect: \(location)", "X-Sendfile: \(location)", "X-Sendfile-Type: X-Sendfile",
                "X-Accel-Mapping: /=\(location)", "X-Original-URI: \(location)",
            ] {
                let response = try await fixture.ask(path, [field])
                #expect(response.status == 200 && response.text == "plain.jpg", "\(field)")
            }
            #expect(try await fixture.askDirectly(path)["x-accel-redirect"] == nil)
        }
    }

    @Test("DL-6 nginx does not follow a link that has replaced a file or a folder")
    func links() async throws {
        try await PictureProxyFixture.with(["a.jpg", "b.jpg", "one/c.jpg", "two/c.jpg"]) { fixture in
            let ids = try await fixture.ids(4)
            let home = fixture.folder.file(PictureProxyFixture.pictures)
            func original(_ name: String) async throws -> RawResponse {
                try await fixture.ask("/api/assets/\(try #require(ids[name]))/original")
            }
            #expect(try await original("a.jpg").text == "a.jpg")
            // The gateway follows links inside of the person's folder, so its check succeeds as it does for a file that
            // is replaced right after it.
            for (name, target) in [("a.jpg", "b.jpg"), ("one", "two")] {
                try FileManager.default.removeItem(atPath: "\(home)/\(name)")
                try FileManager.default.createSymbolicLink(
                    atPath: "\(home)/\(name)", withDestinationPath: target)
            }
            for name in ["a.jpg", "one/c.jpg"] {
                let response = try await original(name)
                #expect([403, 404].contains(response.status), "\(name): \(response)")
            }
            #expect(try await original("b.jpg").text == "b.jpg")
        }
    }
}
