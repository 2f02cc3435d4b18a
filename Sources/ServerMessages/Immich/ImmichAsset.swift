/// A photo or video, at `GET /assets/{id}` and in every list.
///
/// Source: DL-6, IM-15; contract of Immich, `AssetResponseDto`, b.20, b.21.
public struct ImmichAsset: Codable, Sendable, Equatable {
    /// The id of the asset.
    public var id: String
    /// The kind of asset: `IMAGE`, `VIDEO`, `AUDIO` or `OTHER`.
    public var type: String
    /// The id of the owner.
    public var ownerId: String
    /// The name of the file.
    public var originalFileName: String
    /// The path of the file on the server.
    public var originalPath: String
    /// The media type of the file.
    public var originalMimeType: String?
    /// The SHA-1 of the file in Base64. For a file in an external library, it may be the SHA-1 of the path.
    public var checksum: String
    /// When the asset was taken, ISO 8601 in UTC.
    public var fileCreatedAt: String
    /// When the file was last changed.
    public var fileModifiedAt: String
    /// The local time that the camera's clock showed, written as though it were UTC.
    public var localDateTime: String
    /// When the server added the asset.
    public var createdAt: String
    /// When the asset's data on the server last changed.
    public var updatedAt: String
    /// The width in pixels. Null when it is not known.
    @Nullable public var width: Int?
    /// The height in pixels. Null when it is not known.
    @Nullable public var height: Int?
    /// The duration in milliseconds. Null for an asset without a duration.
    @Nullable public var duration: Int?
    /// The id of the video part of a live photo. Null for other assets.
    @Nullable public var livePhotoVideoId: String?
    /// The visibility: `timeline`, `archive`, `hidden` or `locked`.
    public var visibility: String
    /// Whether the metadata of the file has been read. Default: true.
    public var hasMetadata = true
    /// Whether the asset is archived. Default: false.
    public var isArchived = false
    /// Whether an edited version exists. Default: false.
    public var isEdited = false
    /// Whether the person marked the asset as a favorite. Default: false.
    public var isFavorite = false
    /// Whether the file is not available. Default: false.
    public var isOffline = false
    /// Whether the asset is in the trash. Default: false.
    public var isTrashed = false
    /// Always true. Older clients require it.
    public var resized: Bool? = true
    /// A tiny placeholder image to show while the picture loads. Null when there is none.
    @Nullable public var thumbhash: String?
    /// The metadata that the camera recorded.
    public var exifInfo: ImmichExif?
    /// The people in the picture. Empty by default, because latchd does not recognize faces.
    public var people: [JSONValue]? = []
    /// The tags of the asset. Default: empty.
    public var tags: [JSONValue]? = []

    /// Creates an asset without optional data.
    public init(
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
/// Source: contract of Immich, `ExifResponseDto`.
public struct ImmichExif: Codable, Sendable, Equatable {
    /// The manufacturer of the camera.
    @Nullable public var make: String?
    /// The model of the camera.
    @Nullable public var model: String?
    /// The width in pixels. Null when it is not known.
    @Nullable public var exifImageWidth: Int?
    /// The height in pixels. Null when it is not known.
    @Nullable public var exifImageHeight: Int?
    /// The size of the file in bytes.
    @Nullable public var fileSizeInByte: Int?
    /// The EXIF orientation, `1` to `8`.
    @Nullable public var orientation: String?
    /// When the photo was taken.
    @Nullable public var dateTimeOriginal: String?
    /// When the file was last changed.
    @Nullable public var modifyDate: String?
    /// The time zone of the camera, such as `UTC+2`.
    @Nullable public var timeZone: String?

    /// Creates metadata in which every value is null.
    public init() {
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
