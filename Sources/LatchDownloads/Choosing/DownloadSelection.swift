public import FoundationEssentials

/// The files that a person selects on the server of an account.
public struct DownloadSelection: Sendable, Hashable, Codable {
    /// Ids of single pictures and videos.
    public var ids: [String]
    /// Paths below the server's address, or complete addresses on the server, of any files.
    public var paths: [String]
    /// Names or ids of albums.
    public var albums: [String]
    /// The last known names of albums that are selected by their ids, for messages about albums that no longer exist.
    package var albumNames: [String: String]?
    /// Whether to include everything that the library shows to the person. Default: false.
    public var isWholeLibrary: Bool
    /// Whether to include only favourites. Default: false.
    public var isFavouritesOnly: Bool
    /// Whether to search the locked folder instead of the rest of the library. The session must be unlocked, see
    /// `LatchClient.withUnlocked(_:of:_:)`. Albums ignore it. Default: false.
    public var isLockedFolder: Bool
    /// The earliest time at which the files were taken, inclusive. Nil for no limit.
    public var takenFrom: Date?
    /// The latest time at which the files were taken, exclusive. Nil for no limit.
    public var takenBefore: Date?
    /// The earliest time at which the server added or changed the files, inclusive. Nil for no limit. Albums and servers
    /// that do not know the time ignore it.
    package var changedAfter: Date?
    /// Those pictures among the results of the search that are meant. Nil for all of them.
    package var picked: PickedPictures?

    /// Creates a selection. Without arguments it selects nothing.
    public init(
        ids: [String] = [], paths: [String] = [], albums: [String] = [], isWholeLibrary: Bool = false,
        isFavouritesOnly: Bool = false, isLockedFolder: Bool = false, takenFrom: Date? = nil, takenBefore: Date? = nil
    ) {
        self.ids = ids
        self.paths = paths
        self.albums = albums
        self.isWholeLibrary = isWholeLibrary
        self.isFavouritesOnly = isFavouritesOnly
        self.isLockedFolder = isLockedFolder
        self.takenFrom = takenFrom
        self.takenBefore = takenBefore
    }

    /// Whether the library must be searched for the selected files.
    public var isSearch: Bool {
        isWholeLibrary || isFavouritesOnly || isLockedFolder || !albums.isEmpty || takenFrom != nil
            || takenBefore != nil
    }

    /// Whether the same picture may be found several times.
    public var mayContainDuplicates: Bool { ids.count + paths.count + max(albums.count, isSearch ? 1 : 0) > 1 }

    /// Whether nothing is selected.
    public var isEmpty: Bool { ids.isEmpty && paths.isEmpty && !isSearch }

    /// Whether a picture matches the selection, for servers that cannot filter the results themselves.
    func isFor(taken: Date?, isFavourite: Bool) -> Bool {
        (!isFavouritesOnly || isFavourite) && isTaken(taken ?? .distantPast)
    }

    /// Whether a time is within the limits.
    func isTaken(_ taken: Date) -> Bool {
        takenFrom.map { taken >= $0 } ?? true && takenBefore.map { taken < $0 } ?? true
    }
}
