public import FoundationEssentials
import HTTPClient
public import LatchKit

/// A file to download: its address, its name, and the metadata needed to put it at its destination.
///
/// A task holds no token. The token is added when the request is sent, and is not stored in any file of the queue.
///
/// Source: DL-4.
public struct DownloadTask: Sendable, Identifiable, Hashable {
    /// The id of the task, unique within its account. For Immich it is the asset's id. The id is shown to people, so it
    /// must not contain a secret.
    public var id: String
    /// The account whose server has the file.
    public var account: Account.ID
    /// The path below the account's server address, optionally with a query, or a complete address on that server. In
    /// the queue the query is sealed, and `?…` replaces it.
    public var url: String
    /// Additional header fields of the request. They are stored in the queue's database, so they must not contain a
    /// secret.
    public var headers: [String: String]
    /// The requested name of the file. It is made safe for the file system when the file is put at its destination.
    public var filename: String
    /// The group in which the task is counted and limited.
    public var group: DownloadGroup
    /// Whether progress events are sent for the task, and not only its end. Default: true.
    public var reportsProgress: Bool
    /// What is known about the file in advance.
    public var metadata: DownloadMetadata

    /// Creates a task.
    public init(
        id: String, account: Account.ID, url: String, headers: [String: String] = [:], filename: String,
        group: DownloadGroup, reportsProgress: Bool = true, metadata: DownloadMetadata = DownloadMetadata()
    ) {
        self.id = id
        self.account = account
        self.url = url
        self.headers = headers
        self.filename = filename
        self.group = group
        self.reportsProgress = reportsProgress
        self.metadata = metadata
    }
}

/// A group of downloads that are counted and limited together.
///
/// Source: DL-5.
public struct DownloadGroup: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name of the group.
    public let rawValue: String
    /// Creates a group with any name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The name of the group.
    public var description: String { rawValue }

    /// Photographs: `group_image`.
    public static let image = DownloadGroup(rawValue: "group_image")
    /// Videos: `group_video`.
    public static let video = DownloadGroup(rawValue: "group_video")
    /// The two parts of live photos: `group_livephoto`.
    public static let livePhoto = DownloadGroup(rawValue: "group_livephoto")
    /// Pictures and videos of a locked folder: `group_locked`.
    package static let locked = DownloadGroup(rawValue: "group_locked")
    /// All other files: `group_file`.
    public static let file = DownloadGroup(rawValue: "group_file")
}

/// What is known about a file before it is downloaded.
///
/// Source: DL-4, DL-6; docs/protocols/immich.md, Assets and Downloads of the official app.
public struct DownloadMetadata: Sendable, Hashable, Codable {
    /// The length in bytes. Nil when unknown.
    public var size: Int?
    /// The SHA-1 digest of the content, 20 bytes. Nil when unknown.
    public var sha1: [UInt8]?
    /// Whether ``sha1`` and ``size`` may describe other bytes than the server delivers. A different digest is then not
    /// an error. Default: false.
    public var isDigestAdvice: Bool
    /// When the picture was taken. It becomes the modification time of the file.
    public var taken: Date?
    /// The camera's local time when the picture was taken, expressed as if it were UTC. It selects the folder of the
    /// month.
    public var takenLocally: Date?
    /// Which part of a live photo the file is. Nil for other files.
    public var part: LivePart?
    /// The id that both parts of a live photo share, which is the id of the still image. Nil for other files.
    public var liveID: String?
    /// The sealed query of the task's address, in the queue; see ``SealedQuery``.
    var sealedQuery: String?
    /// The version of the file that the server reported with its content. Only set when a person gave the file's
    /// address.
    var version: ResumePoint?
    /// Whether the file is fetched although it exists here. Nil means no.
    private var again: Bool?

    /// Whether the file is fetched although it exists here. The new file gets the next free name next to the existing
    /// one.
    public var fetchesExisting: Bool {
        get { again ?? false }
        set { again = newValue ? true : nil }
    }

    /// One of the two files of a live photo.
    public enum LivePart: String, Sendable, Codable {
        /// The still image.
        case image
        /// The video.
        case video
    }

    /// Creates metadata.
    public init(
        size: Int? = nil, sha1: [UInt8]? = nil, isDigestAdvice: Bool = false, taken: Date? = nil,
        part: LivePart? = nil, liveID: String? = nil
    ) {
        self.size = size
        self.sha1 = sha1
        self.isDigestAdvice = isDigestAdvice
        self.taken = taken
        self.part = part
        self.liveID = liveID
    }
}
