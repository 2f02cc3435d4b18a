import LatchDownloads
import LatchKit

/// How much a download is.
public struct LibraryDownloadSummary: Equatable, Sendable {
    /// How many files are to be downloaded.
    public let files: Int
    /// The sizes of those files whose size is known, in bytes.
    public let bytes: Int
    /// A sentence such as "12 files to download, 34 MB. 3 are already here."
    public let sentence: String
    /// Why the files do not fit on the disk of the folder, with what to do. They can be downloaded nevertheless: what
    /// has no space waits. Nil when they fit, or when that is not known.
    public let spaceError: ScreenError?
    /// Whether there is something to download.
    public var canDownload: Bool { files > 0 }

    init(_ selected: SelectedFiles, in folder: String, free: (String) -> Int?) {
        (files, bytes) = (selected.missing, selected.missingBytes)
        spaceError = free(folder).flatMap { [bytes] free in
            free >= bytes
                ? nil
                : ScreenError(
                    .fileFailed,
                    "There are only \(TransferText.bytes(free)) free in '\(ScreenText.line(folder))'. Free some space, or "
                        + "choose another folder. Otherwise the files that do not fit wait until there is space.",
                    remedy: .freeSpace(folder))
        }
        let here = selected.found - selected.missing
        guard selected.found > 0 else {
            sentence = "The selected files no longer exist on the server."
            return
        }
        guard files > 0 else {
            sentence = here == 1 ? "The file is already here." : "All \(here) files are already here."
            return
        }
        var text = files == 1 ? "1 file to download" : "\(files) files to download"
        let unknown = selected.missingOfUnknownSize
        if unknown < files { text += ", \(TransferText.bytes(bytes))" }
        if unknown > 0 { text += unknown == files ? ", of unknown size" : ", and \(unknown) of unknown size" }
        if here > 0 { text += here == 1 ? ". 1 is already here" : ". \(here) are already here" }
        sentence = text + "."
    }
}
