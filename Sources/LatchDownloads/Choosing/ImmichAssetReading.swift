import Crypto
import Database
import FoundationEssentials
import HTTPMessages
import LatchKit

/// Reads pictures and videos as any version of Immich lists them, and creates tasks for them.
///
/// Source: DL-3, DL-5, DL-6; docs/protocols/immich.md, Assets and Live photos.
struct ImmichAssetReading: Sendable {
    let account: Account.ID
    /// The path of the server's API.
    let api: String

    /// Returns the path of the API of an account's server.
    static func api(of account: Account) -> String { account.details["api"] ?? "/api" }

    /// Returns the tasks of one picture or video: one task, or two for a live photo.
    ///
    /// - Parameters:
    ///   - asset: The asset as the server describes it.
    ///   - video: What is known about the video of a live photo. Nil when unknown.
    ///   - includesHidden: Whether to return a task for the video of a live photo by itself. Default: false.
    /// - Returns: The tasks. Empty for a value that is not an asset, for an asset in the trash, and for a hidden video
    ///   of a live photo.
    func tasks(_ asset: JSONValue, video: LiveVideoFacts? = nil, includesHidden: Bool = false) -> [DownloadTask] {
        guard let id = Self.id(asset), asset["isTrashed"]?.bool != true, includesHidden || !Self.isHidden(asset) else {
            return []
        }
        let name = Self.name(asset, id)
        var metadata = metadata(asset)
        guard let second = Self.video(of: asset), !Self.containsVideo(name) else {
            let group: DownloadGroup = asset["type"]?.string == "VIDEO" ? .video : .image
            return [task(id, named: name, group: group, metadata: metadata)]
        }
        (metadata.part, metadata.liveID) = (.image, id)
        var facts = DownloadMetadata(taken: metadata.taken, part: .video, liveID: id)
        (facts.size, facts.sha1, facts.isDigestAdvice) = (video?.size, video?.sha1, video?.isDigestAdvice ?? false)
        let still = SafeFileName(name)
        let ending = video.map(\.ending).flatMap { $0.lowercased() == still.ending.lowercased() ? nil : $0 }
        return [
            task(id, named: name, group: .livePhoto, metadata: metadata),
            task(second, named: still.stem + (ending ?? ".MOV"), group: .livePhoto, metadata: facts),
        ]
    }

    /// Returns what is known about the video of a live photo.
    func facts(_ asset: JSONValue) -> LiveVideoFacts {
        let metadata = metadata(asset)
        let ending = SafeFileName(Self.name(asset, "")).ending
        return LiveVideoFacts(
            size: metadata.size, sha1: metadata.sha1, isDigestAdvice: metadata.isDigestAdvice,
            ending: ending.isEmpty ? ".MOV" : String(ending))
    }

    /// Returns the id of an asset. Nil when it is not safe to put into a path.
    static func id(_ asset: JSONValue) -> String? { asset["id"]?.string.flatMap { isID($0) ? $0.lowercased() : nil } }

    /// Returns the id of the video of a live photo. Nil for other assets.
    static func video(of asset: JSONValue) -> String? {
        guard let video = asset["livePhotoVideoId"]?.string, isID(video), video.lowercased() != id(asset) else {
            return nil
        }
        return video.lowercased()
    }

    /// Whether the name of a photograph is that of a Motion Photo, such as `PXL_1234.MP.jpg`. The video that the server
    /// shows with it is then a copy of the one inside, and is not fetched.
    private static func containsVideo(_ name: String) -> Bool {
        name.ranges(of: ".MP").contains { mark in
            mark.upperBound < name.endIndex && [".", "~", "-", "_", " ", "("].contains(name[mark.upperBound])
        }
    }

    /// Whether a text is an asset's id, which is safe to put into a path.
    static func isID(_ text: String) -> Bool { UUID(text: text) != nil }

    /// Returns the id of a picture from the path of its web page. Nil for other paths.
    static func pictureID(at path: String) -> String? {
        let parts = path.prefix { $0 != "?" }.split(separator: "/")
        guard parts.dropLast().last == "photos", let id = parts.last.map(String.init) else { return nil }
        return isID(id) ? id : nil
    }

    /// Returns when an asset was taken.
    static func taken(_ asset: JSONValue) -> Date? { (asset["fileCreatedAt"]?.string).flatMap(ServerTime.date) }

    /// Whether an asset is the video of a live photo, which is in no list. Versions before 1.133 use another field for
    /// this.
    private static func isHidden(_ asset: JSONValue) -> Bool {
        asset["visibility"]?.string == "hidden" || asset["isVisible"]?.bool == false
    }

    /// Returns the file name. The first versions of Immich left out the extension, which is then taken from the path.
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
        // For a file that is only referenced by path, the server hashes the path, which tells nothing about the bytes.
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
        _ id: String, named name: String, group: DownloadGroup, metadata: DownloadMetadata
    ) -> DownloadTask {
        DownloadTask(
            id: id, account: account, url: "\(api)/assets/\(id)/original", filename: name, group: group,
            metadata: metadata)
    }

    /// Returns a length, which some versions write as a string.
    private static func size(_ value: JSONValue?) -> Int? {
        let size = value?.integer ?? value?.string.flatMap { Int($0) }
        return size.flatMap { $0 >= 0 ? $0 : nil }
    }

    private static func digest(_ text: String) -> [UInt8]? {
        Data(base64Encoded: text).flatMap { $0.count == 20 ? Array($0) : nil }
    }

}

/// What is known about the video of a live photo before it is downloaded.
struct LiveVideoFacts: Sendable, Equatable {
    var size: Int?
    var sha1: [UInt8]?
    var isDigestAdvice: Bool
    /// The extension of its name, with the dot.
    var ending: String
}
