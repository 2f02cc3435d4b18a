public import FoundationEssentials

/// What a person wants to bring home from an account's server.
public struct DownloadSelection: Sendable, Hashable {
    /// Ids of single pictures and films.
    public var ids: [String]
    /// Paths below the server, or whole addresses of it: any file.
    public var paths: [String]
    /// Names or ids of albums.
    public var albums: [String]
    /// Everything that the library shows the person.
    public var isWholeLibrary: Bool
    /// Only what is a favourite.
    public var isFavouritesOnly: Bool
    /// Only what was taken then or later.
    public var takenFrom: Date?
    /// Only what was taken before.
    public var takenBefore: Date?

    /// Makes a wish; without anything, it is for nothing.
    public init(
        ids: [String] = [], paths: [String] = [], albums: [String] = [], isWholeLibrary: Bool = false,
        isFavouritesOnly: Bool = false, takenFrom: Date? = nil, takenBefore: Date? = nil
    ) {
        self.ids = ids
        self.paths = paths
        self.albums = albums
        self.isWholeLibrary = isWholeLibrary
        self.isFavouritesOnly = isFavouritesOnly
        self.takenFrom = takenFrom
        self.takenBefore = takenBefore
    }

    /// Whether a library must be searched for it.
    public var isSearch: Bool {
        isWholeLibrary || isFavouritesOnly || !albums.isEmpty || takenFrom != nil || takenBefore != nil
    }

    /// Whether one picture may be found several times.
    public var mayRepeat: Bool { ids.count + paths.count + max(albums.count, isSearch ? 1 : 0) > 1 }

    /// Whether it is for nothing at all.
    public var isEmpty: Bool { ids.isEmpty && paths.isEmpty && !isSearch }

    /// Whether a picture fits, where the server could not be asked for just these.
    func isFor(taken: Date?, isFavourite: Bool) -> Bool {
        let taken = taken ?? .distantPast
        return (!isFavouritesOnly || isFavourite) && takenFrom.map { taken >= $0 } ?? true
            && takenBefore.map { taken < $0 } ?? true
    }
}
