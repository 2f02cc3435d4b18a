import FoundationEssentials

/// A photograph or film in the library, as the database knows it.
struct Asset: Sendable, Equatable {
    /// Given when the file was first seen; a file that is renamed or changed keeps it.
    let id: UUID
    /// The folder it is in, relative to the library: `anna@example.org/2024/Summer`.
    let folder: String
    /// The name of the file.
    let name: String
    /// Whose it is: the name of the library's folder that it is beneath.
    let owner: String
    let kind: AssetKind
    let file: FileMark
    /// The SHA-1 of the file.
    let checksum: [UInt8]
    let facts: MediaFacts
    /// When it was taken, or last changed where the file does not say.
    let taken: Date
    /// What the camera's clock showed then, as though it stood in UTC.
    let takenLocally: Date
    /// The film that moves with this photograph.
    let motion: UUID?
    let visibility: AssetVisibility
    /// Whether a session must be elevated to see anything of it.
    let isLocked: Bool
    /// When it was first seen.
    let added: Date
    /// When what is known of it last changed.
    let updated: Date

    /// Whether it is one of these owners', or everybody's, and not locked or unlocked by the PIN.
    func isSeen(by owners: AssetOwners, isElevated: Bool) -> Bool {
        owners.own(owner) && (!isLocked || isElevated)
    }

    /// Where the file is, relative to the library.
    var path: String { folder + "/" + name }
    /// The media type that it is sent with.
    var mediaType: String { AssetKind.mediaType(of: name) ?? "application/octet-stream" }
}

/// What tells that a file is the same as before without reading it.
struct FileMark: Sendable, Equatable {
    /// The size in bytes.
    let size: Int
    /// When it was last changed, in nanoseconds since 1970.
    let modified: Int
    /// Which file of its file system it is.
    let inode: Int

    /// When it was last changed, in whole milliseconds, as the database keeps times.
    var modificationDate: Date { Date(timeIntervalSince1970: (Double(modified) / 1_000_000).rounded(.down) / 1_000) }
}
