package import FoundationEssentials
import GatewayCore
package import HTTPServer
import Primitives

extension AssetLibrary {
    /// The maximum number of files in an archive.
    package static let maximumArchiveFiles = 5_000
    /// The maximum number of archives that are sent to one person at a time.
    package static let maximumArchives = 4
    /// The maximum number of lists of archives that are sent to one person at a time.
    package static let maximumPlans = 4
    /// The maximum number of months of a timeline that are sent to one person at a time. More than the connections that
    /// a browser opens to a server.
    package static let maximumMonths = 16
    /// The number of files that are read from the database at a time for an archive.
    private static let batch = 500

    /// Returns files as one ZIP archive with unique names. Files that no longer exist on the disk are omitted,
    /// and those that have become larger than ``LibraryFolder/maximumSize``.
    ///
    /// The files are looked up a few at a time, in turn with the other reads of the person.
    ///
    /// - Parameters:
    ///   - ids: The ids of the files, each once, at most ``maximumArchiveFiles``.
    ///   - owners: The owners whose files the person may see.
    ///   - isElevated: Whether the person may see locked files.
    /// - Returns: The archive. Nil when there is a file that the person may not see.
    /// - Throws: ``GatewayError/Code/busy`` when ``maximumArchives`` are being sent to the person, or too many reads
    ///   wait; `DatabaseError`; `CancellationError`.
    ///
    /// Source: docs/protocols/immich.md, Archives.
    package func archive(
        of ids: [UUID], for owners: AssetOwners, isElevated: Bool
    ) async throws -> ResponseBody? {
        guard let place = archives.take(for: owners.id) else {
            throw GatewayError(
                .busy, "\(Self.maximumArchives) archives are being sent to you; try again when one is complete.")
        }
        var plan = ZIPPlan()
        for start in stride(from: 0, to: ids.count, by: Self.batch) {
            let part = Array(ids[start..<min(start + Self.batch, ids.count)])
            let planned = try await store.find(part, for: owners, isElevated: isElevated) { [plan] assets in
                assets.count == part.count ? try await adding(assets, to: plan) : nil
            }
            guard let planned else { return nil }
            plan = planned
        }
        return plan.archive.stream(in: place)
    }

    private func adding(_ assets: [Asset], to plan: ZIPPlan) async throws -> ZIPPlan {
        let folder = folder.path
        return try await work.run { isStopped in
            var plan = plan
            for asset in assets {
                guard !isStopped() else { break }
                let parts = asset.path.split(atByte: "/", maxSplits: 1)
                guard parts.count == 2 else { continue }
                let entry = try? ZIPArchive.Entry(
                    name: asset.name, path: String(parts[1]), beneath: folder + "/" + parts[0])
                if let entry, entry.size <= LibraryFolder.maximumSize { plan.add(entry) }
            }
            return plan
        }
    }
}
