import Foundation
import LatchDownloads
import LatchKit

/// Where the files of this machine's downloads go.
struct DownloadPlace {
    let folder: String?

    /// The queue, whose files go to the folder that was given or to the pictures' own.
    func queue(_ run: Run) async throws -> DownloadQueue {
        let path = if let folder { Self.absolute(folder) } else { try Self.pictures() + "/Immich" }
        return DownloadQueue(try await run.latchstring(), library: FolderLibrary(folder: path))
    }

    private static func absolute(_ path: String) -> String {
        let path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        return URL(fileURLWithPath: path).standardizedFileURL.path
    }

    /// The folder of the person's pictures.
    private static func pictures() throws(LatchError) -> String {
        guard let path = PicturesFolder.current(environment: ProcessInfo.processInfo.environment).path else {
            throw LatchError(
                .invalidInput, "There is no folder for pictures, for HOME is not set. Give one: --to FOLDER")
        }
        return path
    }
}
