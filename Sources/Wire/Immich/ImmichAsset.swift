/// A photograph or film, at `GET /assets/{id}` and in every list.
///
/// Source: DL-6, IM-15; contract of Immich, `AssetResponseDto`, b.20, b.21.
public struct ImmichAsset: Codable, Sendable, Equatable {
    /// The id.
    public var id: String
    /// `IMAGE`, `VIDEO`, `AUDIO` or `OTHER`.
    public var type: String
    /// The id of the person whose it is.
    public var ownerId: String
    /// The name of the file.
    public var originalFileName: String
    /// Where it is on the server.
    public var originalPath: String
    /// The media type of the file.
    public var originalMimeType: String?
    /// The SHA-1 of the file in Base64; of a file that a server only refers to, perhaps that of its path.
    public var checksum: String
    /// When it was taken, ISO 8601 in UTC.
    public var fileCreatedAt: String
    /// When the file was last changed.
    public var fileModifiedAt: String
    /// What the camera's clock showed, as though it stood in UTC.
    public var localDateTime: String
    /// When the server first knew of it.
    public var createdAt: String
    /// When what the server knows of it last changed.
    public var updatedAt: String
    /// The width in pixels.
    @Nullable public var width: Int?
    /// The height in pixels.
    @Nullable public var height: Int?
    /// How long it plays, in milliseconds.
    @Nullable public var duration: Int?
    /// The id of the film that moves with this photograph.
    @Nullable public var livePhotoVideoId: String?
    /// `timeline`, `archive`, `hidden` or `locked`.
    public var visibility: String
    /// Whether it was read already.
    public var hasMetadata = true
    /// Whether it was put away.
    public var isArchived = false
    /// Whether there is an edited form of it.
    public var isEdited = false
    /// Whether the person likes it best.
    public var isFavorite = false
    /// Whether the file cannot be reached.
    public var isOffline = false
    /// Whether it lies in the bin.
    public var isTrashed = false
    /// Always true; older clients ask for it.
    public var resized: Bool? = true
    /// A tiny form of the picture, to show while it comes.
    @Nullable public var thumbhash: String?
    /// What the camera said.
    public var exifInfo: ImmichExif?
    /// Who is on it; nobody was looked for.
    public var people: [JSONValue]? = []
    /// Its tags.
    public var tags: [JSONValue]? = []

    /// Makes a photograph or film that nothing further is known of.
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

/// What a camera said of a photograph.
///
/// Source: contract of Immich, `ExifResponseDto`.
public struct ImmichExif: Codable, Sendable, Equatable {
    /// The camera's maker.
    @Nullable public var make: String?
    /// The camera's model.
    @Nullable public var model: String?
    /// The width in pixels.
    @Nullable public var exifImageWidth: Int?
    /// The height in pixels.
    @Nullable public var exifImageHeight: Int?
    /// The size of the file.
    @Nullable public var fileSizeInByte: Int?
    /// How it is to be turned, `1` to `8`.
    @Nullable public var orientation: String?
    /// When it was taken.
    @Nullable public var dateTimeOriginal: String?
    /// When the file was last changed.
    @Nullable public var modifyDate: String?
    /// The camera's distance from UTC, such as `UTC+2`.
    @Nullable public var timeZone: String?

    /// Makes an answer that says nothing.
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
