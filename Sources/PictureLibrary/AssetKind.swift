import Database
import Primitives

/// The kind of an asset. The ending of the file's name determines both the kind and the media type.
package enum AssetKind: String, Sendable, SQLBindable, SQLReadable {
    case image = "IMAGE"
    case video = "VIDEO"

    /// Makes the kind of a file with this name. Nil when the file is not an asset.
    package init?(name: String) {
        guard let type = Self.mediaType(of: name) else { return nil }
        self = type.hasPrefix("image/") ? .image : .video
    }

    /// Returns the media type of a file with this name. Nil when the file is not an asset.
    package static func mediaType(of name: String) -> String? {
        guard let parts = name.split(atLastByte: "."), !parts.head.isEmpty else { return nil }
        return mediaTypes[parts.tail.lowercased()]
    }

    /// The name endings of assets, in lower case, each with its media type.
    ///
    /// Source: IANA, "Media Types"; names that cameras and phones write.
    static let mediaTypes = [
        "avif": "image/avif", "bmp": "image/bmp", "gif": "image/gif", "heic": "image/heic", "heif": "image/heif",
        "jpe": "image/jpeg", "jpeg": "image/jpeg", "jpg": "image/jpeg", "jxl": "image/jxl", "png": "image/png",
        "tif": "image/tiff", "tiff": "image/tiff", "webp": "image/webp", "dng": "image/dng", "cr2": "image/cr2",
        "nef": "image/nef", "arw": "image/arw",
        "3gp": "video/3gpp", "avi": "video/x-msvideo", "m4v": "video/x-m4v", "mkv": "video/x-matroska",
        "mov": "video/quicktime", "mp4": "video/mp4", "mpeg": "video/mpeg", "mpg": "video/mpeg", "mts": "video/mp2t",
        "webm": "video/webm",
    ]
}

/// Where an asset is visible.
///
/// Source: docs/protocols/immich.md, Assets.
package enum AssetVisibility: String, Sendable, SQLBindable, SQLReadable {
    /// In the timeline.
    case timeline
    /// Not in the timeline: the video of a live photograph, which is requested by its id.
    case hidden
    /// Not in the timeline, and only for elevated sessions.
    case locked
    /// Archived. No asset of a library has this visibility.
    case archive
}
