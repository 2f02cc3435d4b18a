import FoundationEssentials
import LatchDownloads
import LatchKit
import Primitives
import Terminal

/// The place for the files of this machine's downloads.
///
/// All waiting files wait for one folder, that of the command that chose them.
struct DownloadDestination {
    /// The folder given with `--to`.
    var folder: String?
    /// The layout given with `--layout`.
    var layout: LibraryLayout?
    /// Whether `--motion-photo` or `--no-motion-photo` is given. Nil for neither.
    var keepsMotionPhotos: Bool?
    /// The limit given with `--parallel`.
    var parallelLimit: ParallelLimit?
    /// Whether `--keep-trying` is given.
    var keepsTrying = false

    /// Opens the queue and the library for its files. The last place is used while files wait for it, and by commands
    /// that neither choose files nor name a folder.
    ///
    /// - Parameters:
    ///   - context: The context of the command, with the accounts.
    ///   - isChoosing: Whether this command chooses files.
    ///   - selector: The account from which files are chosen. Its last folder is used without `--to`.
    /// - Returns: The queue and the library.
    /// - Throws: ``LatchError`` when files wait for another folder than `--to`, no folder is known, or the storage
    ///   fails.
    func open(
        _ context: CommandContext, isChoosing: Bool, of selector: String? = nil
    ) async throws -> (queue: DownloadQueue, library: PictureLibrary) {
        let latch = try await context.client()
        let places = LibraryLocations(latch)
        let account = isChoosing ? try? await context.account(selector) : nil
        let place = try await place(
            among: places, isChoosing: isChoosing, account: account, console: context.console)
        let library = PictureLibrary(
            latch, folder: place.folder, layout: place.layout, keepsMotionPhotos: place.keepsMotionPhotos
        ) { [console = context.console] in console.printMessage($0.printable) }
        var settings = parallelLimit?.settings ?? DownloadSettings()
        if keepsTrying { settings.maximumOutage = nil }
        return (DownloadQueue(latch, library: library, settings: settings), library)
    }

    /// The given options that have no effect when another program is fetching already.
    var ignoredOptions: [String] {
        [
            layout == nil ? nil : "--layout", keepsMotionPhotos.map { $0 ? "--motion-photo" : "--no-motion-photo" },
            parallelLimit == nil ? nil : "--parallel", keepsTrying ? "--keep-trying" : nil,
        ].compactMap(\.self)
    }

    private func place(
        among places: LibraryLocations, isChoosing: Bool, account: Account?, console: Console
    ) async throws -> LibraryLocation {
        let path = folder.map(Self.absolute)
        var place = try await places.next(folder: path, for: account, isChoosing: isChoosing)
        if place.reason == .last, !console.isJSON {
            console.printMessage(
                "The files are saved to '\(place.location.folder.printable)', as before. To choose another folder: "
                    + "--to FOLDER")
        }
        place.location.layout = layout ?? place.location.layout
        place.location.keepsMotionPhotos = keepsMotionPhotos ?? place.location.keepsMotionPhotos
        return place.location
    }

    private static func absolute(_ path: String) -> String {
        let path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        return URL(fileURLWithPath: path).standardizedFileURL.path
    }
}
