package import FoundationEssentials

/// The record of a photograph or a video in the library.
package struct Asset: Sendable, Equatable {
    /// The id, assigned when the file was first found. A file that is renamed or changed keeps it.
    package let id: UUID
    /// The folder of the file, relative to the library: `anna@example.org/2024/Summer`.
    package let folder: String
    /// The name of the file.
    package let name: String
    /// The owner: the name of the top folder that contains the file, in lower case.
    package let owner: String
    package let kind: AssetKind
    package let file: FileMark
    /// The SHA-1 of the file.
    package let checksum: [UInt8]
    package let facts: MediaFacts
    /// When it was taken. If the file does not say, when it was last changed.
    package let taken: Date
    /// The time that the camera's clock showed, stored as if it were UTC.
    package let takenLocally: Date
    /// The id of the video of this live photograph. Nil for other files.
    package let motion: UUID?
    package let visibility: AssetVisibility
    /// Whether only an elevated session may see the file and its data.
    package let isLocked: Bool
    /// When the file was first found.
    package let added: Date
    /// When the record last changed.
    package let updated: Date

    /// Whether a person may see the file. It must be shared or belong to one of `owners`, and a locked file also needs
    /// an elevated session.
    package func isSeen(by owners: AssetOwners, isElevated: Bool) -> Bool {
        owners.own(owner) && (!isLocked || isElevated)
    }

    /// The path of the file, relative to the library.
    package var path: String { folder + "/" + name }
    /// The media type for responses. Default: `application/octet-stream`.
    package var mediaType: String { AssetKind.mediaType(of: name) ?? "application/octet-stream" }
}

/// The properties of a file that show, without reading it, that it has not changed.
package struct FileMark: Sendable, Equatable {
    /// The size in bytes.
    package let size: Int
    /// When the file was last changed, in nanoseconds since 1970.
    let modified: Int
    /// The inode number of the file in its file system.
    let inode: Int

    /// When the file was last changed, in whole milliseconds, as the database stores times.
    package var modificationDate: Date {
        Date(timeIntervalSince1970: (Double(modified) / 1_000_000).rounded(.down) / 1_000)
    }
}
