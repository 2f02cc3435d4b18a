import Foundation
import HTTPMessages
import TestSupport

@testable import GatewayConfiguration
@testable import GatewayDialects
@testable import LatchGateway
@testable import PictureLibrary

/// A gateway that speaks Immich, with a library of a few files for Ada, Bob and everybody.
struct AssetFixture {
    static let bob = "bob@example.org"

    let immich: ImmichFixture
    let folder: TemporaryDirectory
    /// Ada's token.
    let token: String

    static func with(
        _ configure: (inout GatewaySettings) -> Void = { _ in }, _ body: (AssetFixture) async throws -> Void
    ) async throws {
        let folder = try TemporaryDirectory()
        for (name, text) in files { try put(text, at: name, in: folder) }
        try await ImmichFixture.with {
            $0.immich.library = folder.path
            configure(&$0)
        } _: { immich in
            try await immich.base.addPerson(bob)
            try await immich.base.gateway.readLibrary()
            try await body(AssetFixture(immich: immich, folder: folder, token: try await immich.token()))
        }
    }

    static let still = String(repeating: "still ", count: 200)
    static let film = String(repeating: "film ", count: 100)

    private static let files = [
        ("ada@example.org/See/IMG_1.JPG", still), ("ada@example.org/See/IMG_1.MOV", film),
        ("ada@example.org/See/Möwen am See.jpg", "gulls"), ("ada@example.org/Clip.mp4", "clip"),
        ("ada@example.org/.locked/secret.jpg", "secret"), ("bob@example.org/shed.jpg", "shed"),
        ("shared/Family/all.png", "everybody"),
    ]

    static func put(_ text: String, at name: String, in folder: TemporaryDirectory) throws {
        let url = URL(fileURLWithPath: folder.file(name))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    func get(
        _ path: String, _ headers: [(String, String)] = [], as other: String? = nil, method: String = "GET"
    ) async throws -> Exchange.Response {
        try await immich.send(method, path, other ?? token, nil, headers: headers)
    }

    func post(_ path: String, _ body: JSONValue, as other: String? = nil) async throws -> Exchange.Response {
        try await immich.send("POST", path, other ?? token, body)
    }

    /// The assets that a search finds.
    func search(_ body: JSONValue = [:], as other: String? = nil) async throws -> [JSONValue] {
        try await post("/search/metadata", body, as: other).json?["assets"]?["items"]?.array ?? []
    }

    /// The id of Ada's asset of this name, seen in the listing or not.
    func id(_ name: String, of email: String = GatewayFixture.email) async throws -> String {
        let owners = LibraryFixture.owners(email)
        for visibility in [AssetVisibility.timeline, .hidden, .locked] {
            let query = AssetQuery(visibility: visibility)
            let found = try await immich.base.gateway.library?.store.search(query, for: owners).assets ?? []
            if let asset = found.first(where: { $0.name == name }) { return asset.id.uuidString.lowercased() }
        }
        throw Exchange.Broken()
    }

    /// The token of another session of Bob's.
    func bobsToken() async throws -> String {
        try await immich.login(Self.bob).json?["accessToken"]?.string ?? { throw Exchange.Broken() }()
    }

    /// Unlocks Ada's session.
    func elevate() async throws {
        _ = try await immich.send("POST", "/auth/pin-code", token, ["pinCode": "123456"])
        _ = try await immich.send("POST", "/auth/session/unlock", token, ["pinCode": "123456"])
    }
}

extension Gateway {
    /// The picture library of the Immich dialect.
    var library: AssetLibrary? { dialects.lazy.compactMap { $0 as? ImmichRoutes }.first?.library }
}
