import FoundationEssentials
import LatchDownloads
import LatchKit
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
    var atOnce: AtOnce?
    /// `--keep-trying`.
    var keepsTrying = false

    /// The queue, and the library that its files go to; the last ones', unless files are about to be chosen for others.
    func open(_ run: Run, isChoosing: Bool) async throws -> (queue: DownloadQueue, library: PictureLibrary) {
        let latch = try await run.latchstring()
        let places = LibraryPlaces(latch)
        let place = try await place(latch, places, isChoosing: isChoosing)
        let library = PictureLibrary(
            latch, folder: place.folder, layout: place.layout, keepsMotionPhotos: place.keepsMotionPhotos
        ) { [console = run.console] in console.note($0.printable) }
        var settings = atOnce?.settings ?? DownloadSettings()
        if keepsTrying { settings.maximumOutage = nil }
        return (DownloadQueue(latch, library: library, settings: settings), library)
    }

    /// Remembers a library's place for the commands that come later.
    static func remember(_ library: PictureLibrary, _ run: Run) async throws {
        try await LibraryPlaces(try await run.latchstring()).remember(
            LibraryPlace(
                folder: library.folder, layout: library.layout, keepsMotionPhotos: library.keepsMotionPhotos))
    }

    private func place(_ latch: Latchstring, _ places: LibraryPlaces, isChoosing: Bool) async throws -> LibraryPlace {
        let path = folder.map(Self.absolute)
        if var place = try await places.last() {
            let isWaiting = try await isWaiting(latch, place)
            if isWaiting, let path, path != place.folder {
                throw LatchError(
                    .invalidInput,
                    "Files still wait to go to '\(place.folder.printable)'. Bring them home first with 'latch download', "
                        + "or let go of them with 'latch downloads cancel'.")
            }
            if isWaiting || !isChoosing && path == nil {
                place.layout = layout ?? place.layout
                place.keepsMotionPhotos = place.keepsMotionPhotos || keepsMotionPhotos
                return place
            }
        }
        let folder = try path ?? Self.standard()
        let known = try await places.layout(of: folder)
        return LibraryPlace(folder: folder, layout: layout ?? known ?? .flat, keepsMotionPhotos: keepsMotionPhotos)
    }

    private func isWaiting(_ latch: Latchstring, _ place: LibraryPlace) async throws -> Bool {
        try await DownloadQueue(latch, library: FolderLibrary(folder: place.folder)).progress().open > 0
    }

    private static func absolute(_ path: String) -> String {
        let path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        return URL(fileURLWithPath: path).standardizedFileURL.path
    }

    /// `Immich` in the folder of the person's pictures.
    private static func standard() throws(LatchError) -> String {
        guard let path = PicturesFolder.current(environment: ProcessInfo.processInfo.environment).path else {
            throw LatchError(
                .invalidInput, "There is no folder for pictures, for HOME is not set. Give one: --to FOLDER")
        }
        return path + "/Immich"
    }
}
