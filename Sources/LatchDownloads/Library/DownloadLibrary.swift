public import Database
public import HTTPClient

/// Where files are brought to: names for them, what goes with them, and what is there already.
///
/// A file is put there by a rename within one file system, so its parts are kept below the same folder.
///
/// Source: DL-2, DL-11.
public protocol DownloadLibrary: Sendable {
    /// The folder of the files.
    var folder: String { get }

    /// The file of a task that is there already, whole; nil when it must be fetched.
    func existing(_ task: DownloadTask) async throws -> String?

    /// Those of some tasks whose files are not there.
    func absent(_ tasks: [DownloadTask]) async throws -> [DownloadTask]

    /// Where a task's file is to be; its folder is made.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - attempt: 0 first; then more for each name that was taken.
    /// - Returns: The whole path. Nothing may be there yet, and if there is, it is asked again.
    /// - Throws: ``LatchError`` when the folder cannot be made or written.
    func destination(of task: DownloadTask, attempt: Int) throws -> String

    /// Puts on a part what goes with the file, before it is put in its place: attributes and the like. What the file
    /// system cannot keep is left out.
    func writeMetadata(_ part: DownloadPart, as task: DownloadTask)

    /// Makes one file of a live photo's two whole parts, where this library keeps them so; nil where it keeps a pair.
    ///
    /// - Parameters:
    ///   - still: The still, whole and on the disk; it stays as it is.
    ///   - film: The film, likewise.
    ///   - task: The still's task.
    ///   - path: Where the one part is to be; what is there already is of no use.
    /// - Returns: The one part, or nil for a pair.
    /// - Throws: What reading and writing throws.
    func join(
        still: DownloadPart, film: DownloadPart, of task: DownloadTask, into path: String
    ) async throws -> DownloadPart?

    /// What the one file of a live photo is to be called, by what the still is.
    func joinedName(_ filename: String) -> String

    /// Notes a file that is in its place, in the commit that calls its task done.
    func note(_ task: DownloadTask, at path: String, in connection: Connection) throws
}
