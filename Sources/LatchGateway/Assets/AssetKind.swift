import Database

/// Whether a file is a photograph or a film, and how it is announced to who fetches it; both by the ending of its name.
enum AssetKind: String, Sendable, SQLBindable, SQLReadable {
    case image = "IMAGE"
    case video = "VIDEO"

    /// The kind of a file of this name; nil for one that is no asset.
    init?(name: String) {
        guard let type = Self.mediaType(of: name) else { return nil }
        self = type.hasPrefix("image/") ? .image : .video
    }

    /// The media type of a file of this name; nil for one that is no asset.
    static func mediaType(of name: String) -> String? {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        return mediaTypes[name[name.index(after: dot)...].lowercased()]
    }

    /// The endings of names that are assets, each with its media type.
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

/// Where an asset is seen.
///
/// Source: contract of Immich, `AssetVisibility`.
enum AssetVisibility: String, Sendable, SQLBindable, SQLReadable {
    /// In the listing.
    case timeline
    /// Out of it: the moving half of a live photograph, fetched by its id.
    case hidden
    /// Out of it and kept back from a session that is not elevated.
    case locked
    /// Put away: nothing of a folder is.
    case archive
}
