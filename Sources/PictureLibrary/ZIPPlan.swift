/// Adds files to an archive, each under a safe name that no other file has.
struct ZIPPlan: Sendable {
    /// The archive so far.
    private(set) var archive = ZIPArchive()
    private var names = ArchiveNames()

    /// Adds a file.
    mutating func add(_ entry: ZIPArchive.Entry) {
        archive.add(entry, as: names.add(entry.name))
    }
}
