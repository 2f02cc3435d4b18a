import FoundationEssentials
import LatchDownloads
import LatchKit
import Primitives
import Terminal

/// Where the files of this machine's downloads go.
///
/// While files wait they all wait for one folder: that of the command that chose them.
struct DownloadPlace {
    /// `--to`.
    var folder: String?
    /// `--layout`.
    var layout: LibraryLayout?
    /// `--motion-photo`.
    var keepsMotionPhotos = false
    /// `--parallel`.
    var parallelLimit: ParallelLimit?
    /// `--keep-trying`.
    var keepsTrying = false

    /// The queue, and the library that its files go to; the last ones', unless files are about to be chosen for others.
    ///
    /// - Parameters:
    ///   - run: The command's context, with the accounts.
    ///   - isChoosing: Whether this command chooses files.
    ///   - selector: The account that they are chosen from, and whose last folder is used without `--to`.
    /// - Returns: The queue and the library.
    /// - Throws: ``LatchError`` when files wait for another folder than `--to`, or no folder is known; the codes of the
    ///   storage.
    func open(
        _ context: CommandContext, isChoosing: Bool, of selector: String? = nil
    ) async throws -> (queue: DownloadQueue, library: PictureLibrary) {
        let latch = try await context.latchstring()
        let places = LibraryPlaces(latch)
        let account = isChoosing ? try? await context.account(selector) : nil
        let place = try await place(places, isChoosing: isChoosing, account, context.console)
        let library = PictureLibrary(
            latch, folder: place.folder, layout: place.layout, keepsMotionPhotos: place.keepsMotionPhotos
        ) { [console = context.console] in console.note($0.printable) }
        var settings = parallelLimit?.settings ?? DownloadSettings()
        if keepsTrying { settings.maximumOutage = nil }
        return (DownloadQueue(latch, library: library, settings: settings), library)
    }

    /// A library's place, to be remembered for the commands that come later.
    static func of(_ library: PictureLibrary) -> LibraryPlace {
        LibraryPlace(folder: library.folder, layout: library.layout, keepsMotionPhotos: library.keepsMotionPhotos)
    }

    /// The options that a program which fetches already does not heed.
    var unheeded: [String] {
        [
            layout == nil ? nil : "--layout", keepsMotionPhotos ? "--motion-photo" : nil,
            parallelLimit == nil ? nil : "--parallel", keepsTrying ? "--keep-trying" : nil,
        ].compactMap(\.self)
    }

    private func place(
        _ places: LibraryPlaces, isChoosing: Bool, _ account: Account?, _ console: Console
    ) async throws -> LibraryPlace {
        let path = folder.map(Self.absolute)
        if var place = try await places.last() {
            if let path { try await places.check(path) }
            let isAwaited = try await places.isAwaited()
            if isAwaited || !isChoosing && path == nil {
                place.layout = layout ?? place.layout
                place.keepsMotionPhotos = place.keepsMotionPhotos || keepsMotionPhotos
                return place
            }
        }
        var chosen = path
        if chosen == nil, let account, let last = try await places.folder(of: account) {
            if !console.isJSON { console.note("They go to '\(last.printable)', as before. Elsewhere: --to FOLDER") }
            chosen = last
        }
        let folder = try chosen ?? Self.defaultFolder()
        let known = try await places.layout(of: folder)
        return LibraryPlace(folder: folder, layout: layout ?? known ?? .flat, keepsMotionPhotos: keepsMotionPhotos)
    }

    private static func absolute(_ path: String) -> String {
        let path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        return URL(fileURLWithPath: path).standardizedFileURL.path
    }

    /// `Immich` in the folder of the person's pictures.
    private static func defaultFolder() throws(LatchError) -> String {
        guard let path = PicturesFolder.current(environment: ProcessInfo.processInfo.environment).path else {
            throw LatchError(
                .invalidInput, "There is no folder for pictures, for HOME is not set. Give one: --to FOLDER")
        }
        return path + "/Immich"
    }
}
