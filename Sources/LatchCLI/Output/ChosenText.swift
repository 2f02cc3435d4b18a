import LatchDownloads
import Primitives
import Terminal

/// Sentences about the selected files.
enum ChosenText {
    /// The maximum number of names in one line.
    private static let mostNames = 5

    /// A sentence about the files to fetch and the files that exist here.
    static func sentence(_ files: SelectedFiles) -> String {
        let (found, missing) = (files.found, files.missing)
        guard found > 0 else { return "No files match." }
        let fetch = missing == 1 ? "1 file to download" : "\(missing) files to download"
        let here = found - missing
        if here == 0 { return "\(fetch)." }
        guard missing == 0 else { return "\(fetch), \(here) already here." }
        let all = here == 1 ? "The file is already here." : "All \(here) files are already here."
        guard files.changed.isEmpty, files.filesHere.count == here else { return all }
        return all + " To download \(here == 1 ? "it" : "them") anyway: --again"
    }

    /// A sentence about the files that have changed on the server. Nil when there are none.
    static func changes(_ files: SelectedFiles) -> String? {
        let changed = files.changed
        guard !changed.isEmpty else { return nil }
        var names = changed.prefix(mostNames).map { "'\($0.filename.printable)'" }
        if changed.count > names.count { names.append("\(changed.count - names.count) more") }
        let (version, file) = changed.count == 1 ? ("version", "file") : ("versions", "files")
        return "Changed on the server since: \(names.joined(separator: ", ")). "
            + "To download the new \(version) next to the existing \(file): --again"
    }
}
