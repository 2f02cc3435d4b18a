package import HTTPServer

extension AssetLibrary {
    /// Returns the files as one ZIP archive with unique names. Files that no longer exist on the disk are omitted.
    ///
    /// Source: docs/protocols/immich.md, Archives.
    package func archive(of assets: [Asset]) async throws -> ResponseBody {
        let folder = folder.path
        let entries = try await work.run { isStopped in
            assets.compactMap { asset -> ZIPArchive.Entry? in
                guard !isStopped() else { return nil }
                let parts = asset.path.split(separator: "/", maxSplits: 1)
                guard parts.count == 2 else { return nil }
                return try? ZIPArchive.Entry(
                    name: asset.name, path: String(parts[1]), beneath: folder + "/" + parts[0])
            }
        }
        return ZIPArchive.stream(entries)
    }
}
