import Crypto
import Database
import FoundationEssentials
import LatchKit
import Wire

/// Reads pictures and films as Immich lists them, of any version, and makes tasks of them.
///
/// Source: DL-3, DL-5, DL-6; contract of Immich, b.20, b.21 and b.23.
struct ImmichAssetReading: Sendable {
    let account: Account.ID
    /// The path of the server's API.
    let api: String

    /// The path of the API of an account's server.
    static func api(of account: Account) -> String { account.details["api"] ?? "/api" }

    /// The tasks of one picture or film: one, or two for a live photo.
    ///
    /// - Parameters:
    ///   - asset: What the server says of it.
    ///   - film: What it says of the film that moves with it, where that is known.
    ///   - isHiddenToo: Whether the film of a live photo is wanted by itself.
    /// - Returns: None for what is no asset, lies in the bin or is only the film of another.
    func tasks(_ asset: JSONValue, film: FilmFacts? = nil, isHiddenToo: Bool = false) -> [DownloadTask] {
        guard let id = Self.id(asset), asset["isTrashed"]?.bool != true, isHiddenToo || !Self.isHidden(asset) else {
            return []
        }
        let name = Self.name(asset, id)
        var metadata = metadata(asset)
        guard let second = Self.film(of: asset), !Self.holdsItsFilm(name) else {
            return [task(id, name, asset["type"]?.string == "VIDEO" ? .video : .image, metadata)]
        }
        (metadata.part, metadata.liveID) = (.image, id)
        var facts = DownloadMetadata(taken: metadata.taken, part: .video, liveID: id)
        (facts.size, facts.sha1, facts.isDigestAdvice) = (film?.size, film?.sha1, film?.isDigestAdvice ?? false)
        let still = SafeFileName(name)
        let ending = film.map(\.ending).flatMap { $0.lowercased() == still.ending.lowercased() ? nil : $0 }
        return [
            task(id, name, .livePhoto, metadata), task(second, still.stem + (ending ?? ".MOV"), .livePhoto, facts),
        ]
    }

    /// What is known of the film of a live photo.
    func facts(_ asset: JSONValue) -> FilmFacts {
        let metadata = metadata(asset)
        let ending = SafeFileName(Self.name(asset, "")).ending
        return FilmFacts(
            size: metadata.size, sha1: metadata.sha1, isDigestAdvice: metadata.isDigestAdvice,
            ending: ending.isEmpty ? ".MOV" : String(ending))
    }

    /// The id of an asset, where it is one that can go into a path.
    static func id(_ asset: JSONValue) -> String? { asset["id"]?.string.flatMap { isID($0) ? $0.lowercased() : nil } }

    /// The id of the film that moves with a picture.
    static func film(of asset: JSONValue) -> String? {
        guard let film = asset["livePhotoVideoId"]?.string, isID(film), film.lowercased() != id(asset) else {
            return nil
        }
        return film.lowercased()
    }

    /// Whether a photograph is a Motion Photo by its name, as `PXL_1234.MP.jpg`: the film that the server shows with it
    /// is a copy of the one that is in it, and is not fetched beside it.
    private static func holdsItsFilm(_ name: String) -> Bool {
        name.ranges(of: ".MP").contains { mark in
            mark.upperBound < name.endIndex && [".", "~", "-", "_", " ", "("].contains(name[mark.upperBound])
        }
    }

    /// Whether a text is an id; it goes into a path.
    static func isID(_ text: String) -> Bool { UUID(text: text) != nil }

    /// The id of a picture whose page in the browser a path is.
    static func pictureID(at path: String) -> String? {
        let parts = path.prefix { $0 != "?" }.split(separator: "/")
        guard parts.dropLast().last == "photos", let id = parts.last.map(String.init) else { return nil }
        return isID(id) ? id : nil
    }

    /// When it was taken.
    static func taken(_ asset: JSONValue) -> Date? { (asset["fileCreatedAt"]?.string).flatMap(ServerTime.date) }

    /// The film of a live photo, which stands in no list; versions before 1.133 say so by another word.
    private static func isHidden(_ asset: JSONValue) -> Bool {
        asset["visibility"]?.string == "hidden" || asset["isVisible"]?.bool == false
    }

    /// The file's name. The first versions left out its ending, which the path has.
    private static func name(_ asset: JSONValue, _ id: String) -> String {
        let name = asset["originalFileName"]?.string ?? id
        guard SafeFileName(name).ending.isEmpty, let path = asset["originalPath"]?.string,
            let last = path.split(separator: "/").last
        else { return name }
        return name + SafeFileName(String(last)).ending
    }

    private func metadata(_ asset: JSONValue) -> DownloadMetadata {
        var metadata = DownloadMetadata()
        metadata.size = Self.size(asset["exifInfo"]?["fileSizeInByte"])
        metadata.sha1 = (asset["checksum"]?.string).flatMap(Self.digest)
        metadata.isDigestAdvice = asset["libraryId"]?.string != nil
        // Of a file that the server only refers to it hashes the path, which tells nothing of the bytes.
        if let path = asset["originalPath"]?.string, let sha1 = metadata.sha1,
            sha1 == InsecureSHA1.digest("path:\(path)")
        {
            metadata.sha1 = nil
        }
        metadata.taken = Self.taken(asset)
        metadata.takenLocally = (asset["localDateTime"]?.string).flatMap(ServerTime.date)
        return metadata
    }

    private func task(
        _ id: String, _ name: String, _ group: DownloadGroup, _ metadata: DownloadMetadata
    ) -> DownloadTask {
        DownloadTask(
            id: id, account: account, url: "\(api)/assets/\(id)/original", filename: name, group: group,
            metadata: metadata)
    }

    /// A length, which some versions write as text.
    private static func size(_ value: JSONValue?) -> Int? {
        let size = value?.integer ?? value?.string.flatMap { Int($0) }
        return size.flatMap { $0 >= 0 ? $0 : nil }
    }

    private static func digest(_ text: String) -> [UInt8]? {
        Data(base64Encoded: text).flatMap { $0.count == 20 ? Array($0) : nil }
    }

}

/// What is known of the film of a live photo before it comes.
struct FilmFacts: Sendable, Equatable {
    var size: Int?
    var sha1: [UInt8]?
    var isDigestAdvice: Bool
    /// The ending of its name, with the dot.
    var ending: String
}
