import LatchDownloads
import Primitives
import Terminal

/// The words for what was chosen to come home.
struct ChosenText {
    /// How many were found, and how many of them are not here.
    var found = 0
    var missing = 0
    /// Those that are here and were given by their addresses.
    var filesHere: [DownloadTask] = []
    /// Those of them that are others on the server by now.
    var changed: [DownloadTask] = []

    /// How many names one line has at most.
    private static let mostNames = 5

    /// What is to be fetched and what is here.
    var sentence: String {
        guard found > 0 else { return "Nothing matches." }
        let fetch = missing == 1 ? "1 file to fetch" : "\(missing) files to fetch"
        let here = found - missing
        if here == 0 { return "\(fetch)." }
        guard missing == 0 else { return "\(fetch), \(here) \(here == 1 ? "is" : "are") here." }
        let all = here == 1 ? "It is here already." : "All \(here) are here already."
        guard changed.isEmpty, filesHere.count == here else { return all }
        return all + " Fetch \(here == 1 ? "it" : "them") all the same: --again"
    }

    /// What has changed since it came; nil for nothing.
    var changes: String? {
        guard !changed.isEmpty else { return nil }
        var names = changed.prefix(Self.mostNames).map { "'\($0.filename.printable)'" }
        if changed.count > names.count { names.append("\(changed.count - names.count) more") }
        let (it, one) = changed.count == 1 ? ("it", "the one that is") : ("them", "those that are")
        return "Changed on the server since: \(names.joined(separator: ", ")). Fetch \(it) beside \(one) here: --again"
    }
}
