import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayDialects
@testable import LatchGateway
@testable import PictureLibrary

/// Photographs and films, fetched over HTTP.
@Suite("Files of the Immich dialect", .timeLimit(.minutes(20)))
struct AssetFileTests {
    @Test("DL-3 the original is sent with its name, its type and the fields for resuming a download")
    func original() async throws {
        try await AssetFixture.with { fixture in
            let id = try await fixture.id("Möwen am See.jpg")
            let response = try await fixture.get("/assets/\(id)/original")

            #expect(response.status == 200 && response.text == "gulls")
            let expected = [
                "Content-Type": "image/jpeg", "Content-Length": "5", "Accept-Ranges": "bytes",
                "Content-Disposition": "inline; filename*=UTF-8''M%C3%B6wen%20am%20See.jpg",
                "Cache-Control": "private, max-age=86400, no-transform",
            ]
            for (name, value) in expected { #expect(response.headers[name] == value) }
            #expect(response.headers["Last-Modified"] != nil)
            let tag = try #require(response.headers["ETag"])
            #expect(try await fixture.get("/assets/\(id)/original", [("If-None-Match", tag)]).status == 304)
            let head = try await fixture.get("/assets/\(id)/original", method: "HEAD")
            #expect(head.status == 200 && head.body.isEmpty && head.headers["Content-Length"] == "5")
        }
    }

    @Test("DL-3 Range returns a part, and If-Range returns the whole file if it has changed")
    func ranges() async throws {
        try await AssetFixture.with { fixture in
            let path = "/assets/\(try await fixture.id("IMG_1.JPG"))/original"
            let tag = try #require(try await fixture.get(path).headers["ETag"])

            let part = try await fixture.get(path, [("Range", "bytes=6-10"), ("If-Range", tag)])
            #expect(part.status == 206 && part.text == "still")
            #expect(part.headers["Content-Range"] == "bytes 6-10/1200")
            #expect(try await fixture.get(path, [("Range", "bytes=0-1,3-4")]).status == 200)
            let beyond = try await fixture.get(path, [("Range", "bytes=1200-")])
            #expect(beyond.status == 416 && beyond.headers["Content-Range"] == "bytes */1200")
            #expect(beyond.refusal == "Range Not Satisfiable")

            try AssetFixture.put("another", at: "ada@example.org/See/IMG_1.JPG", in: fixture.folder)
            let complete = try await fixture.get(path, [("Range", "bytes=6-10"), ("If-Range", tag)])
            #expect(complete.status == 200 && complete.text == "another")
        }
    }

    @Test("DL-3 only a trusted proxy that supports X-Accel-Redirect gets a file's address instead of the file")
    func internalLocation() async throws {
        let field = ("X-Sendfile-Type", "X-Accel-Redirect")
        for (isTrusted, headers) in [(false, [field]), (true, []), (true, [("X-Sendfile-Type", "X-Sendfile")])] {
            try await AssetFixture.with {
                $0.immich.internalLocation = "/.latchd/pictures"
                if isTrusted { $0.trustedProxies = TrustedProxies([IPNetwork("127.0.0.1")].compactMap(\.self)) }
            } _: { fixture in
                let path = "/assets/\(try await fixture.id("Möwen am See.jpg"))/original"
                let response = try await fixture.get(path, headers)
                #expect(response.text == "gulls" && response.headers["X-Accel-Redirect"] == nil)
                let named = try await fixture.get(path, [field, ("Range", "bytes=0-1")])
                #expect(named.status == (isTrusted ? 200 : 206) && named.body.isEmpty == isTrusted)
                let address = "/.latchd/pictures/ada%40example.org/See/M%C3%B6wen%20am%20See.jpg"
                #expect(named.headers["X-Accel-Redirect"] == (isTrusted ? address : nil))
                // Nobody else's file, and no locked one.
                let bobs = try await fixture.id("shed.jpg", of: AssetFixture.bob)
                for id in [bobs, try await fixture.id("secret.jpg")] {
                    let refused = try await fixture.get("/assets/\(id)/original", [field])
                    #expect(refused.status == 404 && refused.headers["X-Accel-Redirect"] == nil)
                }
            }
        }
    }

    @Test("DL-6 a live photograph contains its film's id, and the film can be fetched but is in no list")
    func livePair() async throws {
        try await AssetFixture.with { fixture in
            let still = try await fixture.get("/assets/\(try await fixture.id("IMG_1.JPG"))")
            let film = try #require(still.json?["livePhotoVideoId"]?.string)
            let response = try await fixture.get("/assets/\(film)/original")

            #expect(response.text == AssetFixture.film && response.headers["Content-Type"] == "video/quicktime")
            #expect(try await fixture.get("/assets/\(film)").json?["visibility"]?.string == "hidden")
            #expect(try await fixture.get("/assets/\(film)/video/playback").text == AssetFixture.film)
            let names = try await fixture.search().compactMap { $0["originalFileName"]?.string }
            #expect(Set(names) == ["IMG_1.JPG", "Möwen am See.jpg", "Clip.mp4", "all.png"])
        }
    }

    @Test("The details of an asset have all members of the API description, and the SHA-1 of the file")
    func details() async throws {
        try await AssetFixture.with { fixture in
            let id = try await fixture.id("Möwen am See.jpg")
            let json = try #require(try await fixture.get("/assets/\(id)").json)

            #expect(json["id"]?.string == id && json["type"]?.string == "IMAGE")
            #expect(json["checksum"]?.string == "KHKzTD9JX9IzcmY/kLJtw1I6a2Y=")
            let person = try await fixture.immich.person()
            #expect(json["ownerId"]?.string == person.id.uuidString.lowercased())
            #expect(json["originalPath"]?.string == "ada@example.org/See/Möwen am See.jpg")
            for name in ["width", "height", "duration", "thumbhash", "livePhotoVideoId"] {
                #expect(json[name] == .null)
            }
            #expect(json["exifInfo"]?["fileSizeInByte"]?.number == 5)
            for name in ["isFavorite", "isArchived", "isTrashed", "isOffline", "isEdited"] {
                #expect(json[name] == false)
            }
        }
    }

    @Test("IM-9 every request without a session is refused")
    func signedOut() async throws {
        try await AssetFixture.with { fixture in
            let id = try await fixture.id("IMG_1.JPG")
            for path in ["/assets/\(id)", "/assets/\(id)/original", "/assets/\(id)/thumbnail", "/albums"] {
                let response = try await fixture.immich.send("GET", path)
                #expect(response.status == 401 && response.refusal == "Authentication required")
            }
            for path in ["/search/metadata", "/download/info", "/download/archive"] {
                #expect(try await fixture.immich.send("POST", path, nil, ["assetIds": [.string(id)]]).status == 401)
            }
        }
    }

    @Test("DL-3 another person's asset gets the same response as an unknown id")
    func otherPersonsAsset() async throws {
        try await AssetFixture.with { fixture in
            let bobs = try await fixture.id("shed.jpg", of: AssetFixture.bob)
            for id in [bobs, UUID().uuidString.lowercased()] {
                let details = try await fixture.get("/assets/\(id)")
                #expect(details.status == 400 && details.refusal == "Not found or no asset.read access")
                for path in ["original", "thumbnail", "video/playback"] {
                    let response = try await fixture.get("/assets/\(id)/\(path)")
                    #expect(response.status == 404 && response.refusal == "Not Found")
                }
                for path in ["info", "archive"] {
                    let response = try await fixture.post("/download/\(path)", ["assetIds": [.string(id)]])
                    #expect(response.status == 400 && response.refusal == "Not found or no asset.download access")
                }
            }
            let token = try await fixture.bobsToken()
            #expect(try await fixture.get("/assets/\(bobs)/original", as: token).text == "shed")
            let everybodys = try await fixture.id("all.png")
            #expect(try await fixture.get("/assets/\(everybodys)/original", as: token).text == "everybody")
            let names = try await fixture.search(as: token).compactMap { $0["originalFileName"]?.string }
            #expect(Set(names) == ["shed.jpg", "all.png"])
        }
    }

    @Test("IM-15 a locked asset is not found until the session is unlocked, and a list of them requires that")
    func locked() async throws {
        try await AssetFixture.with { fixture in
            let id = try await fixture.id("secret.jpg")
            let list = try await fixture.post("/search/metadata", ["visibility": "locked"])
            #expect(list.status == 401 && list.refusal == "Elevated permission is required")
            #expect(try await fixture.get("/assets/\(id)").status == 400)
            #expect(try await fixture.get("/assets/\(id)/original").status == 404)
            #expect(try await fixture.post("/download/info", ["assetIds": [.string(id)]]).status == 400)
            #expect(try await fixture.get("/users/me").status == 200)

            try await fixture.elevate()

            #expect(try await fixture.search(["visibility": "locked"]).count == 1)
            #expect(try await fixture.get("/assets/\(id)/original").text == "secret")
            #expect(try await fixture.search().count == 4)
        }
    }

    @Test("A link that replaces a folder after the scan does not expose another person's files")
    func links() async throws {
        try await AssetFixture.with { fixture in
            let id = try await fixture.id("IMG_1.JPG")
            let (mine, bobs) = (fixture.folder.file("ada@example.org/See"), fixture.folder.file("bob@example.org"))
            try AssetFixture.put("bob's own", at: "bob@example.org/IMG_1.JPG", in: fixture.folder)
            try FileManager.default.moveItem(atPath: mine, toPath: mine + ".away")
            try FileManager.default.createSymbolicLink(atPath: mine, withDestinationPath: bobs)

            #expect(try await fixture.get("/assets/\(id)/original").status == 404)
            #expect(
                try await fixture.post("/download/archive", ["assetIds": [.string(id)]]).text.contains("own") == false)
        }
    }

    @Test("The thumbnail of a large photograph is the camera's small picture, turned as the large one")
    func embeddedThumbnails() async throws {
        try await AssetFixture.with { fixture in
            let large = String(repeating: "image data ", count: 500_000)
            for (name, orientation) in [("upright", 1), ("turned", 6)] {
                var bytes = ThumbnailFixture.photograph(orientation: orientation)
                bytes += large.utf8
                let url = URL(fileURLWithPath: fixture.folder.file("ada@example.org/\(name).jpg"))
                try Data(bytes).write(to: url)
            }
            try await fixture.immich.base.gateway.readLibrary()
            let (upright, turned) = (try await fixture.id("upright.jpg"), try await fixture.id("turned.jpg"))

            let plain = try await fixture.get("/assets/\(upright)/thumbnail?size=thumbnail")
            #expect(plain.status == 200 && plain.headers["Content-Type"] == "image/jpeg")
            #expect(plain.body == ThumbnailFixture.small)
            #expect(plain.headers["X-Content-Type-Options"] == "nosniff")
            // Without a size, Immich sends the thumbnail.
            let rotated = try await fixture.get("/assets/\(turned)/thumbnail").body
            #expect(rotated == ThumbnailFixture.small(orientation: 6))
            #expect(MediaFacts.read(MediaBytes(rotated)).orientation == 6)
            #expect(MediaFacts.read(MediaBytes(rotated)).width == 120)
            for size in ["preview", "fullsize", "original"] {
                let file = try await fixture.get("/assets/\(upright)/thumbnail?size=\(size)")
                #expect(file.body.count > 4 << 20)
            }
            let bob = try await fixture.bobsToken()
            #expect(try await fixture.get("/assets/\(upright)/thumbnail", as: bob).status == 404)
            #expect(try await fixture.get("/assets/\(upright)/thumbnail", method: "HEAD").body.isEmpty)
        }
    }

    @Test("A photograph without a small picture is its own thumbnail, a film has none, and an invalid size is refused")
    func thumbnails() async throws {
        try await AssetFixture.with { fixture in
            let (still, film) = (try await fixture.id("IMG_1.JPG"), try await fixture.id("Clip.mp4"))

            #expect(try await fixture.get("/assets/\(still)/thumbnail?size=preview").text == AssetFixture.still)
            #expect(try await fixture.get("/assets/\(film)/thumbnail").status == 404)
            #expect(try await fixture.get("/assets/\(still)/video/playback").status == 404)
            let refused = try await fixture.get("/assets/\(still)/thumbnail?size=huge")
            #expect(refused.status == 400 && refused.refusal == "Validation failed")
            #expect(try await fixture.get("/assets/\(still.dropLast())/original").status == 400)
        }
    }
}
