package import HTTPMessages

/// A photo or video, at `GET /assets/{id}` and in every list.
///
/// Source: DL-6, IM-15; docs/protocols/immich.md, Assets and Live photos; `AssetResponseDto` of 3.1.0.
package struct ImmichAsset: Codable, Sendable, Equatable {
    /// The id of the asset.
    package var id: String
    /// The kind of asset: `IMAGE`, `VIDEO`, `AUDIO` or `OTHER`.
    package var type: String
    /// The id of the owner.
    package var ownerId: String
    /// The name of the file.
    package var originalFileName: String
    /// The path of the file on the server.
    package var originalPath: String
    /// The media type of the file.
    package var originalMimeType: String?
    /// The SHA-1 of the file in Base64. For a file in an external library, it may be the SHA-1 of the path.
    package var checksum: String
    /// When the asset was taken, ISO 8601 in UTC.
    package var fileCreatedAt: String
    /// When the file was last changed.
    package var fileModifiedAt: String
    /// The local time that the camera's clock showed, written as though it were UTC.
    package var localDateTime: String
    /// When the server added the asset.
    package var createdAt: String
    /// When the asset's data on the server last changed.
    package var updatedAt: String
    /// The width in pixels. Null when it is not known.
    @Nullable package var width: Int?
    /// The height in pixels. Null when it is not known.
    @Nullable package var height: Int?
    /// The duration in milliseconds. Null for an asset without a duration.
    @Nullable package var duration: Int?
    /// The id of the video part of a live photo. Null for other assets.
    @Nullable package var livePhotoVideoId: String?
    /// The visibility: `timeline`, `archive`, `hidden` or `locked`.
    package var visibility: String
    /// Whether the metadata of the file has been read. Default: true.
    var hasMetadata = true
    /// Whether the asset is archived. Default: false.
    var isArchived = false
    /// Whether an edited version exists. Default: false.
    var isEdited = false
    /// Whether the person marked the asset as a favorite. Default: false.
    var isFavorite = false
    /// Whether the file is not available. Default: false.
    var isOffline = false
    /// Whether the asset is in the trash. Default: false.
    var isTrashed = false
    /// Always true. Older clients require it.
    var resized: Bool? = true
    /// A tiny placeholder image to show while the picture loads. Null when there is none.
    @Nullable var thumbhash: String?
    /// The metadata that the camera recorded.
    package var exifInfo: ImmichExif?
    /// The people in the picture. Empty by default, because latchd does not recognize faces.
    package var people: [JSONValue]? = []
    /// The tags of the asset. Default: empty.
    package var tags: [JSONValue]? = []

    /// Creates an asset without optional data.
    package init(
        id: String, type: String, ownerId: String, originalFileName: String, originalPath: String, checksum: String,
        fileCreatedAt: String, fileModifiedAt: String, localDateTime: String, createdAt: String, updatedAt: String,
        visibility: String
    ) {
        self.id = id
        self.type = type
        self.ownerId = ownerId
        self.originalFileName = originalFileName
        self.originalPath = originalPath
        self.checksum = checksum
        self.fileCreatedAt = fileCreatedAt
        self.fileModifiedAt = fileModifiedAt
        self.localDateTime = localDateTime
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.visibility = visibility
        _width = Nullable(wrappedValue: nil)
        _height = Nullable(wrappedValue: nil)
        _duration = Nullable(wrappedValue: nil)
        _livePhotoVideoId = Nullable(wrappedValue: nil)
        _thumbhash = Nullable(wrappedValue: nil)
    }
}

/// The metadata that a camera recorded with a photo.
///
/// Source: docs/protocols/immich.md, Assets; `ExifResponseDto` of 3.1.0.
package struct ImmichExif: Codable, Sendable, Equatable {
    /// The manufacturer of the camera.
    @Nullable package var make: String?
    /// The model of the camera.
    @Nullable package var model: String?
    /// The width in pixels. Null when it is not known.
    @Nullable package var exifImageWidth: Int?
    /// The height in pixels. Null when it is not known.
    @Nullable package var exifImageHeight: Int?
    /// The size of the file in bytes.
    @Nullable package var fileSizeInByte: Int?
    /// The EXIF orientation, `1` to `8`.
    @Nullable package var orientation: String?
    /// When the photo was taken.
    @Nullable package var dateTimeOriginal: String?
    /// When the file was last changed.
    @Nullable package var modifyDate: String?
    /// The time zone of the camera, such as `UTC+2`.
    @Nullable package var timeZone: String?

    /// Creates metadata in which every value is null.
    package init() {
        _make = Nullable(wrappedValue: nil)
        _model = Nullable(wrappedValue: nil)
        _exifImageWidth = Nullable(wrappedValue: nil)
        _exifImageHeight = Nullable(wrappedValue: nil)
        _fileSizeInByte = Nullable(wrappedValue: nil)
        _orientation = Nullable(wrappedValue: nil)
        _dateTimeOriginal = Nullable(wrappedValue: nil)
        _modifyDate = Nullable(wrappedValue: nil)
        _timeZone = Nullable(wrappedValue: nil)
    }
}
