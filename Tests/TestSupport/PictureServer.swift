import Foundation
import Synchronization

/// A server that behaves like some version of Immich, limited to what downloading pictures needs, on real sockets.
///
/// Source: docs/protocols/immich.md, Lists, Files and Versions.
public final class PictureServer: Sendable {
    /// A picture or video of the server.
    public struct Picture: Sendable {
        /// The asset id.
        public var id: String
        /// The file name.
        public var name: String
        /// The contents of the file.
        public var bytes: [UInt8]
        /// The id of the video that belongs to a live photo.
        public var video: String?
        /// The visibility: `timeline`, `archive` or `hidden`.
        public var visibility = "timeline"
        /// Whether the picture is a favourite.
        public var isFavourite = false
        /// The time at which it was taken, in ISO 8601.
        public var taken = "2024-07-03T13:20:10.000Z"
        /// The SHA-1 in base64 that the server reports. Nil for none.
        public var checksum: String?
        /// Whether the picture belongs to another person and is only visible in an album.
        public var isForeign = false

        /// Creates a picture.
        public init(_ number: Int, _ name: String, _ bytes: [UInt8]) {
            id = Self.id(number)
            self.name = name
            self.bytes = bytes
        }

        /// Returns the id for a number.
        public static func id(_ number: Int) -> String {
            "5f3e0000-0000-4000-8000-" + String(format: "%012x", number)
        }
    }

    /// The underlying HTTP server.
    public let server: FaultServer
    /// The major version whose behaviour is simulated: 1, 2 or 3.
    public let version: Int
    private let pictures: Mutex<[Picture]>
    private let fault = Mutex<@Sendable (FaultServer.Request) -> FaultServer.Response?>({ _ in nil })
    private let albums: [String: [String]]

    /// The e-mail address and password of the account.
    public static let (email, password) = ("ada@example.org", "correct horse battery")

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - version: 1 for 1.123, 2 for 2.7, 3 for 3.1.
    ///   - pictures: The pictures, in the order of the times at which they were taken.
    ///   - albums: The ids of the pictures, by album name.
    /// - Throws: The error of listening.
    public init(version: Int = 3, _ pictures: [Picture], albums: [String: [String]] = [:]) throws {
        self.version = version
        self.pictures = Mutex(pictures)
        self.albums = albums
        let response = Mutex<@Sendable (FaultServer.Request) -> FaultServer.Response>({ _ in .init(status: 503) })
        server = try FaultServer { request in response.withLock { $0 }(request) }
        server.script { [weak self] request in self?.response(request) ?? .init(status: 503) }
    }

    /// The URL of the server.
    public var url: String { "http://127.0.0.1:\(server.port)" }

    /// Sets a function that is called before the regular handling. A response from it is used instead.
    public func intercept(_ response: @escaping @Sendable (FaultServer.Request) -> FaultServer.Response?) {
        fault.withLock { $0 = response }
    }

    /// Changes the pictures.
    public func change(_ body: @Sendable (inout [Picture]) -> Void) { pictures.withLock { body(&$0) } }

    /// Returns the id of an album.
    public static func albumID(_ name: String) -> String {
        "a1b00000-0000-4000-8000-" + String(format: "%012x", name.utf8.reduce(7) { ($0 * 31 + Int($1)) % 0xFFFFFF })
    }

    private func response(_ request: FaultServer.Request) -> FaultServer.Response {
        if let response = fault.withLock({ $0 })(request) { return response }
        let path = String(request.path.prefix { $0 != "?" })
        switch path {
        case "/.well-known/immich": return .json(#"{"api":{"endpoint":"/api"}}"#)
        case "/api/server/ping": return .json(#"{"res":"pong"}"#)
        case "/api/server/version":
            return .json(#"{"major":\#(version),"minor":\#(version == 1 ? 123 : 1),"patch":0}"#)
        case "/api/server/features": return .json(#"{"oauth":false,"passwordLogin":true}"#)
        case "/api/server/config": return .json(#"{"isInitialized":true,"externalDomain":""}"#)
        case "/api/auth/login":
            return .json(
                #"{"accessToken":"token-1","userId":"\#(Picture.id(0))","userEmail":"\#(Self.email)","name":"Ada","isAdmin":false,"shouldChangePassword":false,"profileImagePath":""}"#,
                201)
        case "/api/users/me":
            return .json(#"{"id":"\#(Picture.id(0))","email":"\#(Self.email)","name":"Ada","isAdmin":false}"#)
        case "/api/search/metadata": return search(request)
        case "/api/timeline/buckets": return months(request)
        case "/api/timeline/bucket": return month(request)
        case "/api/albums": return list(request.path.hasSuffix("shared=true"))
        case "/api/download/info": return plan(request)
        default: break
        }
        if path.hasPrefix("/api/albums/") { return album(String(path.dropFirst(12))) }
        guard path.hasPrefix("/api/assets/") else { return Self.refusal(404) }
        let parts = path.dropFirst(12).split(separator: "/")
        guard let id = parts.first, let picture = pictures.withLock({ all in all.first { $0.id == id } }) else {
            return Self.refusal(parts.count == 2 && version == 3 ? 404 : 400)
        }
        return parts.count == 2 ? .file(picture.bytes, to: request) : FaultServer.Response.json(text(picture))
    }

    private func search(_ request: FaultServer.Request) -> FaultServer.Response {
        let body = (try? JSONSerialization.jsonObject(with: Data(request.body))) as? [String: Any] ?? [:]
        let (page, size) = (body["page"] as? Int ?? 1, body["size"] as? Int ?? 250)
        let chosen = (body["albumIds"] as? [String]).map { Set($0.flatMap(self.members)) }
        let (visibility, isVisible) = (body["visibility"] as? String ?? "timeline", body["isVisible"] as? Bool)
        let (withArchived, isFavourite) = (body["withArchived"] as? Bool == true, body["isFavorite"] as? Bool == true)
        let (after, before) = (body["takenAfter"] as? String, body["takenBefore"] as? String)
        return pictures.withLock { pictures in
            let found = pictures.lazy.filter { picture in
                // Before version 1.133 searches do not support visibility, and before version 2 they do not support
                // albums.
                let isSeen =
                    self.version > 1
                    ? picture.visibility == visibility
                    : isVisible == false
                        ? picture.visibility == "hidden"
                        : picture.visibility != "hidden" && (picture.visibility == "timeline" || withArchived)
                return isSeen && !picture.isForeign
                    && (self.version == 1 || chosen.map { $0.contains(picture.id) } ?? true)
                    && (!isFavourite || picture.isFavourite)
                    && after.map { picture.taken >= $0 } ?? true && before.map { picture.taken <= $0 } ?? true
            }
            let items = found.dropFirst((page - 1) * size).prefix(size + 1).map(self.text)
            let next = items.count > size ? "\"\(page + 1)\"" : "null"
            return .json(
                #"{"albums":{"items":[]},"assets":{"items":[\#(items.prefix(size).joined(separator: ","))],"nextPage":\#(next)}}"#
            )
        }
    }

    private func list(_ isShared: Bool) -> FaultServer.Response {
        let texts = albums.keys.sorted().filter { $0.hasPrefix("Shared") == isShared }.map { name in
            #"{"id":"\#(Self.albumID(name))","albumName":"\#(name)","assetCount":\#(albums[name]?.count ?? 0),"albumThumbnailAssetId":\#(albums[name]?.first.map { "\"\($0)\"" } ?? "null")}"#
        }
        return .json("[" + texts.joined(separator: ",") + "]")
    }

    private func months(_ request: FaultServer.Request) -> FaultServer.Response {
        let counts = Dictionary(timeline(request).map { ($0.taken.prefix(7), 1) }, uniquingKeysWith: +)
        let ending = version == 1 ? "-01T00:00:00.000Z" : "-01"
        let texts = counts.sorted { $0.key > $1.key }.map {
            #"{"timeBucket":"\#($0.key)\#(ending)","count":\#($0.value)}"#
        }
        return .json("[" + texts.joined(separator: ",") + "]")
    }

    private func month(_ request: FaultServer.Request) -> FaultServer.Response {
        let month = Self.query("timeBucket", in: request)?.prefix(7) ?? ""
        let found = timeline(request).filter { $0.taken.hasPrefix(month) }.sorted { $0.taken > $1.taken }
        if version == 1 {
            // The size is required.
            guard Self.query("size", in: request) == "MONTH" else { return Self.refusal(400) }
            return .json("[" + found.map(text).joined(separator: ",") + "]")
        }
        func column(_ name: String, _ value: (Picture) -> String) -> String {
            #""\#(name)":[\#(found.map(value).joined(separator: ","))]"#
        }
        let columns = [
            column("id") { #""\#($0.id)""# }, column("fileCreatedAt") { #""\#($0.taken)""# },
            column("isImage") { Self.isVideo($0) ? "false" : "true" },
            column("livePhotoVideoId") { $0.video.map { #""\#($0)""# } ?? "null" },
        ]
        return .json("{" + columns.joined(separator: ",") + "}")
    }

    /// Returns the pictures that the parameters of a timeline select.
    private func timeline(_ request: FaultServer.Request) -> [Picture] {
        let album = Self.query("albumId", in: request).map { Set(members($0)) }
        let isFavourite = Self.query("isFavorite", in: request) == "true"
        return pictures.withLock { pictures in
            pictures.filter { picture in
                picture.visibility != "hidden" && (!isFavourite || picture.isFavourite)
                    && album.map { $0.contains(picture.id) } ?? !picture.isForeign
            }
        }
    }

    private static func query(_ name: String, in request: FaultServer.Request) -> String? {
        URLComponents(string: request.path)?.queryItems?.first { $0.name == name }?.value
    }

    private static func isVideo(_ picture: Picture) -> Bool {
        let ending = picture.name.uppercased()
        return ending.hasSuffix(".MOV") || ending.hasSuffix(".MP4")
    }

    private func members(_ album: String) -> [String] {
        albums.first { Self.albumID($0.key) == album }?.value ?? []
    }

    private func album(_ id: String) -> FaultServer.Response {
        let ids = Set(members(id))
        let texts = version == 1 ? pictures.withLock { $0.filter { ids.contains($0.id) }.map(text) } : []
        return .json(#"{"id":"\#(id)","assets":[\#(texts.joined(separator: ","))]}"#)
    }

    private func plan(_ request: FaultServer.Request) -> FaultServer.Response {
        let body = (try? JSONSerialization.jsonObject(with: Data(request.body))) as? [String: Any] ?? [:]
        let ids = members(body["albumId"] as? String ?? "").map { "\"\($0)\"" }.joined(separator: ",")
        return .json(#"{"totalSize":1,"archives":[{"size":1,"assetIds":[\#(ids)]}]}"#, 201)
    }

    private func text(_ picture: Picture) -> String {
        let type = Self.isVideo(picture) ? "VIDEO" : "IMAGE"
        let visibility =
            version == 1
            ? #""isVisible":\#(picture.visibility != "hidden"),"isArchived":\#(picture.visibility == "archive")"#
            : #""visibility":"\#(picture.visibility)""#
        let checksum = picture.checksum.map { "\"\($0)\"" } ?? "null"
        let video = picture.video.map { "\"\($0)\"" } ?? "null"
        return """
            {"id":"\(picture.id)","type":"\(type)","originalFileName":"\(picture.name)","checksum":\(checksum),\
            "originalPath":"upload/\(picture.id)","fileCreatedAt":"\(picture.taken)","localDateTime":"\(picture.taken)",\
            "isTrashed":false,"isFavorite":\(picture.isFavourite),"libraryId":null,"livePhotoVideoId":\(video),\
            \(visibility),"exifInfo":{"fileSizeInByte":\(picture.bytes.count)}}
            """
    }

    private static func refusal(_ status: Int) -> FaultServer.Response {
        FaultServer.Response.json(
            #"{"message":"\#(status == 404 ? "Not Found" : "Not found or no asset.read access")"}"#, status)
    }
}
