import FoundationEssentials
import LatchDownloads
import LatchKit

/// Following a library; see ``FollowLibraries``.
extension DownloadFiles {
    /// Follows the library whose files were added to the queue, at the terminal or in the background.
    func follow(
        _ queue: DownloadQueue, _ library: PictureLibrary, since start: ContinuousClock.Instant,
        _ background: BackgroundDownload, _ context: CommandContext
    ) async throws -> ExitCode {
        let libraries = FollowLibraries(context, background)
        guard isBackground else {
            return try await libraries.follow(searching(queue, library, context), SearchTimes(whole: start))
        }
        let (account, session) = try await context.session(selector)
        // Fails here and not in the background when the server sends no events.
        _ = try session.events()
        return try await libraries.start(
            FollowedLibrary(account: account.id, selection: selection, location: library.location))
    }

    /// Returns how this library is searched. `followed` is the library of the list, if it is in the list.
    func searching(
        _ queue: DownloadQueue, _ library: PictureLibrary, _ context: CommandContext,
        of followed: FollowedLibrary? = nil
    ) -> LibrarySearching {
        LibrarySearching(account: selector) { time in
            var search = self
            search.selection.changedAfter = time
            do {
                try await search.addSelection(to: queue, in: library, context, isRepeated: true, from: followed)
            } catch let refused as FolderRefused { throw refused.error }
        }
    }

    /// Returns how a library of the list is searched.
    static func searching(
        _ library: FollowedLibrary, _ destination: DownloadDestination, _ context: CommandContext
    ) -> LibrarySearching {
        let account = library.account.uuidString
        var place = destination
        place.folder = library.location.folder
        place.layout = library.location.layout
        place.keepsMotionPhotos = library.location.keepsMotionPhotos
        let files = DownloadFiles(
            selector: account, selection: library.selection, place: place, makesFolder: false, fetchesExisting: false,
            isDryRun: false, isBackground: true, isFollowing: true, isMetered: false, readsPIN: false)
        return LibrarySearching(account: account) { [place] time in
            let (queue, pictures) = try await place.open(context, isChoosing: true, of: account)
            try await files.searching(queue, pictures, context, of: library).add(time)
        }
    }
}
