import Dispatch
import FoundationEssentials
import HTTPClient
import LatchKit

/// Looks through a library's folder for files by what is put on them, once.
actor LibrarySearch {
    private let index: LibraryIndex
    private var work: Task<Void, any Error>?
    private var isKnown = false
    /// Whether the index knows all that the folder tells.
    private(set) var isDone = false

    /// How many files are noted in one commit.
    private static let pageSize = 1_000

    init(index: LibraryIndex) { self.index = index }

    /// Brings the index up to date with the folder. Callers that come meanwhile wait for the same search. After a search that
    /// failed, for example because the disk was full, the next caller starts a new one.
    func run() async throws {
        let index = index
        let work =
            work
            ?? Task { for try await files in Self.files(below: index.folder) { try await index.found(files) } }
        self.work = work
        do {
            try await work.value
        } catch {
            if self.work == work { self.work = nil }
            throw error
        }
        isDone = true
    }

    /// Whether nothing at all is known of the folder; asked of the database until something is.
    func isNothingKnown() async throws -> Bool {
        if !isKnown { isKnown = try await !index.isEmpty() }
        return !isKnown
    }

    /// The files that have an asset's id, some at a time, with their paths below the folder. Links are not followed,
    /// and what is hidden is left out.
    private static func files(below folder: String) -> AsyncStream<[(key: String, path: String)]> {
        AsyncStream { continuation in
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
