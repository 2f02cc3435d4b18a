public import LatchKit

/// Shows what is in the picture library of an account, to select downloads.
///
/// Source: DL-1, IM-6; docs/protocols/immich.md, Timeline.
public struct LibraryBrowser: Sendable {
    private let library: ImmichLibrary

    /// Creates a browser.
    ///
    /// - Throws: `LatchError.Code.notOffered` when the server has no picture library.
    public init(_ account: Account, _ session: Session) throws(LatchError) {
        guard account.capabilities.contains(.pictureLibrary) else {
            throw LatchError(
                .notOffered, "\(account.serverURL) speaks \(session.dialect.title) and has no picture library.")
        }
        library = ImmichLibrary(account, session)
    }

    /// Returns the person's own albums and those that others share with them, sorted by name.
    ///
    /// - Throws: A `LatchError` for network and session errors.
    public func albums() async throws -> [LibraryAlbum] { try await library.albums() }

    /// Returns the pictures that match a selection, newest first. The list has a known length. Its pictures are loaded
    /// a month at a time.
    ///
    /// - Parameter selection: The whole library, the favourites or one album by its id, with or without times. Ids,
    ///   paths and the locked folder are ignored.
    /// - Returns: The list.
    /// - Throws: A `LatchError` for network and session errors.
    public func pictures(_ selection: DownloadSelection) async throws -> PictureList {
        let filters = ImmichLibrary.timelineFilters(
            album: selection.albums.first, isFavouritesOnly: selection.isFavouritesOnly)
        let list = PictureList(selection, try await library.months(filters)) { [library] month in
            try await library.pictures(of: month, filters)
        }
        try await list.loadEdges()
        return list
    }
}
