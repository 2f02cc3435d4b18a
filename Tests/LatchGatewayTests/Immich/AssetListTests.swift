import FoundationEssentials
import HTTPMessages
import TestSupport
import Testing

@testable import GatewayCore
@testable import LatchGateway

/// Lists of photographs and films, and archives of them, over HTTP.
@Suite("Lists and archives of the Immich dialect", .timeLimit(.minutes(20)))
struct AssetListTests {
    @Test("A search returns pages, with the number of the next page as text")
    func pages() async throws {
        try await AssetFixture.with { fixture in
            var names: [String] = []
            var page = 1
            while true {
                let response = try await fixture.post("/search/metadata", ["page": .number(Double(page)), "size": 3])
                let assets = try #require(response.json?["assets"])
                names += (assets["items"]?.array ?? []).compactMap { $0["originalFileName"]?.string }
                #expect(assets["count"]?.number == Double(assets["items"]?.array?.count ?? -1))
                #expect(response.json?["albums"]?["items"]?.array == [])
                guard let next = assets["nextPage"]?.string else { break }
                #expect(next == "\(page + 1)")
                page += 1
            }
            #expect(page == 2 && Set(names).count == 4 && names.count == 4)
            #expect(try await fixture.search(["page": 1_000_000_000_000, "size": 1_000]).isEmpty)
        }
    }

    @Test(
        "A search filters by kind, name, checksum, id and properties that no asset here has",
        arguments: [
            (["type": "VIDEO"], ["Clip.mp4"]), (["originalFileName": "MÖWEN"], ["Möwen am See.jpg"]),
            (["isMotion": true], ["IMG_1.JPG"]), (["visibility": "hidden"], ["IMG_1.MOV"]), (["isFavorite": true], []),
            (["type": "AUDIO"], []), (["takenAfter": "2999-01-01T00:00:00.000Z"], []), (["city": "Bremen"], []),
            (["personIds": ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]], []),
        ] as [(JSONValue, [String])])
    func filters(search: JSONValue, names: [String]) async throws {
        try await AssetFixture.with { fixture in
            let found = try await fixture.search(search)
            #expect(found.compactMap { $0["originalFileName"]?.string } == names)
        }
    }

    @Test(
        "An invalid search is refused, and the error names the member",
        arguments: [
            (["size": 1_001], "size"), (["page": 0], "page"), (["type": "PHOTO"], "type"),
            (["takenAfter": "yesterday"], "takenAfter"), (["id": "1"], "id"), (["visibility": 1], "visibility"),
            (["albumIds": "x"], "albumIds"),
        ] as [(JSONValue, String)])
    func refusals(search: JSONValue, member: String) async throws {
        try await AssetFixture.with { fixture in
            let response = try await fixture.post("/search/metadata", search)
            #expect(response.status == 400 && response.refusal == "Validation failed")
            #expect(response.json?["errors"]?.array?.first?["path"] == [.string(member)])
        }
    }

    @Test("Folders are albums, and a search in an album finds its assets")
    func albums() async throws {
        try await AssetFixture.with { fixture in
            let albums = try await fixture.get("/albums").json?.array ?? []
            #expect(Set(albums.compactMap { $0["albumName"]?.string }) == ["See", "Family"])
            let see = try #require(albums.first { $0["albumName"]?.string == "See" }?["id"])
            #expect(try await fixture.search(["albumIds": [see]]).count == 2)
            #expect(try await fixture.get("/albums/\(see.string ?? "")").json?["assetCount"]?.number == 2)
            let me = try await fixture.get("/users/me").json
            #expect(me?["clusterGroupId"]?.string?.count == 36)
            for album in albums {
                let users = try #require(album["albumUsers"]?.array)
                #expect(
                    users.map { $0["role"]?.string }
                        == (album["shared"] == .bool(true) ? ["owner", "viewer"] : ["owner"]))
                #expect(users.last?["user"]?["id"] == me?["id"] && users.last?["user"]?["email"] == me?["email"])
                #expect(users.first?["user"]?["id"] == album["ownerId"])
                let one = try await fixture.get("/albums/\(album["id"]?.string ?? "")").json?["albumUsers"]?.array
                #expect(one?.map { $0["user"]?["id"] } == users.map { $0["user"]?["id"] })
            }
            let token = try await fixture.bobsToken()
            #expect(try await fixture.get("/albums/\(see.string ?? "")", as: token).status == 400)
            #expect(try await fixture.search(["albumIds": [see]], as: token).isEmpty)
            #expect(try await fixture.get("/albums?shared=true").json?.array?.count == 1)
        }
    }

    @Test("Statistics count the person's own assets, and those of all people are only for administrators")
    func statistics() async throws {
        try await AssetFixture.with { fixture in
            let counts = try await fixture.get("/assets/statistics").json
            #expect(["images", "videos", "total"].map { counts?[$0]?.number } == [3, 1, 4])
            #expect(try await fixture.get("/assets/statistics?visibility=locked").status == 401)
            let refused = try await fixture.get("/server/statistics")
            #expect(refused.status == 403 && refused.refusal == "Forbidden")
        }
    }

    @Test("DL-3 a plan starts a new archive at the size limit, and films of live photographs are last")
    func plan() async throws {
        try await AssetFixture.with { fixture in
            let ids = [try await fixture.id("IMG_1.JPG"), try await fixture.id("Clip.mp4")]
            let film = try await fixture.id("IMG_1.MOV")
            let search = JSONValue.array(ids.map { .string($0) })

            let response = try await fixture.post("/download/info", ["assetIds": search])
            #expect(response.status == 201 && response.json?["totalSize"]?.number == 1_704)
            let archive = try #require(response.json?["archives"]?.array?.first)
            #expect(archive["size"]?.number == 1_704)
            #expect(archive["assetIds"] == .array((ids + [film]).map { .string($0) }))
            let split = try await fixture.post("/download/info", ["assetIds": search, "archiveSize": 1_000])
            let archives = split.json?["archives"]?.array ?? []
            #expect(archives.map { $0["size"]?.number } == [1_200, 504])
            let mine = JSONValue.string(try await fixture.immich.person().id.uuidString.lowercased())
            let all = try await fixture.post("/download/info", ["userId": mine])
            #expect(all.json?["archives"]?.array?.first?["assetIds"]?.array?.count == 5)
            let others = try await fixture.post("/download/info", ["userId": .string(UUID().uuidString.lowercased())])
            #expect(others.status == 400)
            #expect(
                try await fixture.post("/download/info", [:]).refusal == "assetIds, albumId, or userId is required")
        }
    }

    @Test("DL-3 an archive is a ZIP of the unchanged files")
    func archive() async throws {
        try await AssetFixture.with { fixture in
            let ids = [try await fixture.id("IMG_1.JPG"), try await fixture.id("IMG_1.MOV")]
            let response = try await fixture.post("/download/archive", ["assetIds": .array(ids.map { .string($0) })])

            #expect(response.status == 200 && response.headers["Content-Type"] == "application/octet-stream")
            #expect(Array(response.body.prefix(4)) == [0x50, 0x4B, 3, 4])
            for text in ["IMG_1.JPG", "IMG_1.MOV", AssetFixture.still, AssetFixture.film] {
                #expect(response.text.contains(text))
            }
            #expect(try await fixture.post("/download/archive", [:]).status == 400)
        }
    }

    @Test("A gateway without a library responds like one with an empty library")
    func noLibrary() async throws {
        try await ImmichFixture.with { fixture in
            let token = try await fixture.token()
            let found = try await fixture.send("POST", "/search/metadata", token, [:])
            #expect(found.status == 200 && found.json?["assets"]?["items"] == [])
            #expect(try await fixture.send("GET", "/assets/\(UUID().uuidString)", token).status == 400)
            #expect(try await fixture.send("GET", "/albums", token).json == [])
        }
    }
}
