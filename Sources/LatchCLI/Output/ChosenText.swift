import LatchDownloads
import Primitives
import Terminal

/// Counts and sentences about the selected files.
struct ChosenText {
    /// How many files were found, and how many of them do not exist here.
    var found = 0
    var missing = 0
    /// The files that exist here and were selected by their addresses.
    var filesHere: [DownloadTask] = []
    /// Those of ``filesHere`` that have changed on the server.
    var changed: [DownloadTask] = []

    /// The maximum number of names in one line.
    private static let mostNames = 5

    /// A sentence about the files to fetch and the files that exist here.
    var sentence: String {
        guard found > 0 else { return "No files match." }
        let fetch = missing == 1 ? "1 file to download" : "\(missing) files to download"
        let here = found - missing
        if here == 0 { return "\(fetch)." }
        guard missing == 0 else { return "\(fetch), \(here) already here." }
        let all = here == 1 ? "The file is already here." : "All \(here) files are already here."
        guard changed.isEmpty, filesHere.count == here else { return all }
        return all + " To download \(here == 1 ? "it" : "them") anyway: --again"
    }

    /// A sentence about the files that have changed on the server. Nil when there are none.
    var changes: String? {
        guard !changed.isEmpty else { return nil }
        var names = changed.prefix(Self.mostNames).map { "'\($0.filename.printable)'" }
        if changed.count > names.count { names.append("\(changed.count - names.count) more") }
        let (version, file) = changed.count == 1 ? ("version", "file") : ("versions", "files")
        return "Changed on the server since: \(names.joined(separator: ", ")). "
            + "To download the new \(version) next to the existing \(file): --again"
    }
}
