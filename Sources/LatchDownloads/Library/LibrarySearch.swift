import Dispatch
import FoundationEssentials
import HTTPClient
import LatchKit

/// Searches a library's folder once for files by their attributes.
actor LibrarySearch {
    private let index: LibraryIndex
    private var work: Task<Bool, any Error>?
    private var isKnown = false
    /// Whether the index is up to date with the folder.
    private(set) var isDone = false

    /// How many files are recorded in one transaction.
    private static let pageSize = 1_000

    init(index: LibraryIndex) { self.index = index }

    /// Updates the index from the folder. Concurrent callers wait for the same search. After a search that failed, for
    /// example because the disk was full, the next caller starts a new one.
    ///
    /// - Returns: Whether the folder has files with an asset's id. If not, the index has not changed.
    func run() async throws -> Bool {
        let index = index
        let work =
            work
            ?? Task {
                var hasFiles = false
                for try await files in Self.files(below: index.folder) {
                    try await index.found(files)
                    hasFiles = true
                }
                return hasFiles
            }
        self.work = work
        do {
            let hasFiles = try await work.value
            isDone = true
            return hasFiles
        } catch {
            // Another caller may have started a new search already.
            if self.work == work { self.work = nil }
            throw error
        }
    }

    /// Whether no file of the folder is known. Reads the database until one is.
    func isNothingKnown() async throws -> Bool {
        if !isKnown { isKnown = try await !index.isEmpty() }
        return !isKnown
    }

    /// Returns the files that have an asset's id, in pages, with their paths relative to the folder. Symbolic links are
    /// not followed, and hidden files and folders are left out.
    private static func files(below folder: String) -> AsyncStream<[(key: String, path: String)]> {
        AsyncStream { continuation in
            // Reading folders blocks, so it runs outside the shared thread pool.
            DispatchQueue.global().async {
                var (folders, found): ([String], [(key: String, path: String)]) = ([""], [])
                while let below = folders.popLast() {
                    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/" + below)) ?? []
                    for name in names where !name.hasPrefix(".") {
                        let path = below.isEmpty ? name : below + "/" + name
                        switch kind(of: folder + "/" + path) {
                        case .typeDirectory?: folders.append(path)
                        case .typeRegular?:
                            let id = DownloadPart.attribute(PictureLibrary.attribute, of: folder + "/" + path)
                            if let id, ImmichAssetReading.isID(id) { found.append((id.lowercased(), path)) }
                        default: break
                        }
                        guard found.count >= pageSize else { continue }
                        continuation.yield(found)
                        found = []
                    }
                }
                if !found.isEmpty { continuation.yield(found) }
                continuation.finish()
            }
        }
    }

    private static func kind(of path: String) -> FileAttributeType? {
        try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
    }
}
