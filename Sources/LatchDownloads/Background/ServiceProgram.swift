import Desktop
import FoundationEssentials
import LatchKit

/// Finds the program that downloads in the background.
enum ServiceProgram {
    private static let name = "latch"
    /// The package that contains the program.
    private static let package = "latchstring"

    /// Finds the program: beside this program, or else the first one in the folders of `PATH`.
    ///
    /// - Parameters:
    ///   - environment: The variables of this program.
    ///   - program: The path of this program.
    /// - Returns: The path of the program.
    /// - Throws: ``LatchError/Code/backgroundFailed`` when it is missing.
    static func path(
        _ environment: [String: String], beside program: String? = DesktopProgram.ownPath
    ) throws(LatchError) -> String {
        let own = program.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        let folders = [own].compactMap(\.self) + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        // A relative folder would depend on the folder in which the service starts.
        let paths = folders.filter { $0.hasPrefix("/") }.map { $0 + "/" + name }
        if let path = paths.first(where: isProgram) { return path }
        throw LatchError(
            .backgroundFailed,
            "Could not start the download: the program '\(name)' is missing. Install the package '\(package)', and try "
                + "again.", remedy: .installPackage(package))
    }

    private static func isProgram(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder
            && FileManager.default.isExecutableFile(atPath: path)
    }
}
