import FoundationEssentials
import LatchDownloads

/// A part of the library.
public enum LibrarySection: Hashable, Sendable {
    /// All pictures and videos.
    case all
    /// The favourites.
    case favourites
    /// The list of albums.
    case albums
    /// An album.
    case album(LibraryAlbumRow)
    /// The list of years.
    case times
    /// A year, in the time of this device.
    case year(Int)
    /// The locked folder.
    case locked

    /// The sections of every library.
    public static let main = [Self.all, .favourites, .albums, .times]

    /// The name of the section.
    public var title: String {
        switch self {
        case .all: "All pictures"
        case .favourites: "Favourites"
        case .albums: "Albums"
        case .album(let album): album.name
        case .times: "By year"
        case .year(let year): "\(year)"
        case .locked: "Locked folder"
        }
    }

    /// The selection of everything in the section.
    var selection: DownloadSelection {
        switch self {
        case .all, .albums, .times: DownloadSelection(isWholeLibrary: true)
        case .favourites: DownloadSelection(isFavouritesOnly: true)
        case .locked: DownloadSelection(isLockedFolder: true)
        case .album(let album): Self.selection(of: album)
        case .year(let year):
            DownloadSelection(
                isWholeLibrary: true, takenFrom: Self.start(of: year), takenBefore: Self.start(of: year + 1))
        }
    }

    private static func selection(of album: LibraryAlbumRow) -> DownloadSelection {
        var selection = DownloadSelection(albums: [album.id])
        selection.albumNames = [album.id: album.name]
        return selection
    }

    /// A sentence for a section without pictures.
    var emptySentence: String {
        switch self {
        case .favourites: "There are no favourites."
        case .album: "The album is empty."
        case .year(let year): "There are no pictures of \(year)."
        default: "The library is empty."
        }
    }

    private static func start(of year: Int) -> Date? {
        Calendar(identifier: .gregorian).date(from: DateComponents(year: year, month: 1, day: 1))
    }
}
