package import Database
package import HTTPClient

/// A place for downloaded files. It chooses their names, writes their metadata, and knows which files exist.
///
/// A file is moved there by a rename within one file system, so its part is kept below the same folder.
///
/// Source: DL-2, DL-11.
public protocol DownloadLibrary: Sendable {
    /// The full path of the folder with the files.
    var folder: String { get }

    /// Returns the path of a task's complete file if it exists. Nil when the file must be fetched.
    func existing(_ task: DownloadTask) async throws -> String?

    /// Returns those of the given tasks whose files do not exist.
    func absent(_ tasks: [DownloadTask]) async throws -> [DownloadTask]

    /// Returns the path for a task's file, and creates its folder.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - attempt: 0 at first, then one more for each name that was taken.
    /// - Returns: The full path. When a file exists there, the method is called again for the next attempt.
    /// - Throws: `LatchError` when the folder cannot be created or written.
    func destination(of task: DownloadTask, attempt: Int) throws -> String

    /// Prepares a complete file before it is moved to its destination, such as by writing extended attributes. It may
    /// run on a thread that other files wait for. What it cannot do is left out. Default: does nothing.
    ///
    /// - Parameters:
    ///   - path: The current path of the file.
    ///   - task: The task.
    func prepare(_ path: String, for task: DownloadTask)
}

extension DownloadLibrary {
    /// Does nothing.
    public func prepare(_ path: String, for task: DownloadTask) {}
}

/// A library with an index in the accounts database, which can keep a live photo as one file.
package protocol IndexedLibrary: DownloadLibrary {
    /// Writes metadata such as extended attributes to a part before it is moved to its destination. What the file
    /// system cannot store is left out.
    func writeMetadata(_ part: DownloadPart, as task: DownloadTask)

    /// Joins both complete parts of a live photo into one file, if this library keeps live photos that way.
    ///
    /// - Parameters:
    ///   - still: The part of the still image, complete and on disk. It is not changed.
    ///   - video: The part of the video, complete and on disk. It is not changed.
    ///   - task: The task of the still image.
    ///   - path: The path of the joined part. A file that exists there is obsolete.
    /// - Returns: The joined part, or nil when the library keeps a pair of files.
    /// - Throws: Errors of reading and writing.
    func join(
        still: DownloadPart, video: DownloadPart, of task: DownloadTask, into path: String
    ) async throws -> DownloadPart?

    /// Returns the name of the joined file of a live photo, from the name of the still image.
    func joinedName(_ filename: String) -> String

    /// Records a file that is at its destination, in the transaction that marks its task as done.
    func record(_ task: DownloadTask, at path: String, in connection: Connection) throws
}

extension DownloadLibrary {
    /// Prepares a complete part before it is moved to its destination.
    func prepare(_ part: DownloadPart, for task: DownloadTask) {
        if let indexed = self as? any IndexedLibrary {
            indexed.writeMetadata(part, as: task)
        } else {
            prepare(part.path, for: task)
        }
    }
}
