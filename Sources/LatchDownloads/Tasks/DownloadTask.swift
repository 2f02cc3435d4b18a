public import FoundationEssentials
import HTTPClient
public import LatchKit

/// One file to bring home: where it is, what it is to be called, and what must be known to put it in its place.
///
/// It holds no token: that is added when the request is sent, and is in no file.
///
/// Source: DL-4.
public struct DownloadTask: Sendable, Identifiable, Hashable {
    /// The task's id, one of its account's; with Immich the asset's id. It is shown: no secret stands in it.
    public var id: String
    /// Whose file it is.
    public var account: Account.ID
    /// The path below the account's server, with a query if need be; or a whole address of that server. In the queue a
    /// query is sealed, and `?…` stands in its place.
    public var url: String
    /// Further header fields; never a secret, for they are kept in the queue's file.
    public var headers: [String: String]
    /// What the file is to be called; it is made fit for the disk when the file is put in its place.
    public var filename: String
    /// The group that it is counted in.
    public var group: DownloadGroup
    /// Whether each step of its progress is told, and not its end alone.
    public var wantsProgress: Bool
    /// What is known of the file.
    public var metadata: DownloadMetadata

    /// Makes a task.
    public init(
        id: String, account: Account.ID, url: String, headers: [String: String] = [:], filename: String,
        group: DownloadGroup, wantsProgress: Bool = true, metadata: DownloadMetadata = DownloadMetadata()
    ) {
        self.id = id
        self.account = account
        self.url = url
        self.headers = headers
        self.filename = filename
        self.group = group
        self.wantsProgress = wantsProgress
        self.metadata = metadata
    }
}

/// What downloads are counted together.
///
/// Source: DL-5.
public struct DownloadGroup: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The word.
    public let rawValue: String
    /// Makes a group of any word.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The word.
    public var description: String { rawValue }

    /// Photographs: `group_image`.
    public static let image = DownloadGroup(rawValue: "group_image")
    /// Films: `group_video`.
    public static let video = DownloadGroup(rawValue: "group_video")
    /// The two parts of live photos: `group_livephoto`.
    public static let livePhoto = DownloadGroup(rawValue: "group_livephoto")
    /// Everything else: `group_file`.
    public static let file = DownloadGroup(rawValue: "group_file")
}

/// What the server says of a file before it comes.
///
/// Source: DL-4, DL-6; contract of Immich, b.20, b.21 and b.23.
public struct DownloadMetadata: Sendable, Hashable, Codable {
    /// The length in bytes.
    public var size: Int?
    /// The SHA-1 of the bytes, 20 of them.
    public var sha1: [UInt8]?
    /// Whether that SHA-1 may be of something else, so that another one is told and no fault.
    public var isDigestAdvice: Bool
    /// When the picture was taken: the file's time.
    public var taken: Date?
    /// What the camera's clock showed then, as though it stood in UTC: the folder of its month.
    public var takenLocally: Date?
    /// Which part of a live photo it is; nil when it is none.
    public var part: LivePart?
    /// The id that both parts of a live photo share: the still's.
    public var liveID: String?
    /// The query of the task's address, in the queue; see ``SealedQuery``.
    var sealedQuery: String?
    /// What the server said of the file when it gave it, where a person gave its address.
    var version: ResumePoint?
    /// Whether it is fetched though it is here; nil for no.
    private var again: Bool?

    /// Whether the file is fetched though it is here. It comes beside the one that is, under the next free name.
    public var isAgain: Bool {
        get { again ?? false }
        set { again = newValue ? true : nil }
    }

    /// One of the two files of a live photo.
    public enum LivePart: String, Sendable, Codable {
        /// The still.
        case image
        /// The film.
        case video
    }

    /// Makes metadata.
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
