import Database
package import FoundationEssentials

/// A change of a file that is not locked.
package struct AssetChange: Sendable, Equatable {
    /// What happened to the file.
    package enum Kind: String, Sendable, SQLBindable, SQLReadable {
        /// The file is listed, and was not before.
        case added
        /// The file or its record has changed.
        case changed
        /// The file is no longer listed for this owner, but exists.
        case hidden
        /// The file no longer exists.
        case removed

        /// Whether the file is no longer listed for the owner.
        var isGone: Bool { self == .hidden || self == .removed }
    }

    /// The id of the file.
    package let asset: UUID
    /// The owner for whom the file changed.
    package let owner: String
    package let kind: Kind
}

/// The changes after a position.
package struct AssetChanges: Sendable {
    /// The changes in their order, with the files that are still listed.
    package fileprivate(set) var list: [(change: AssetChange, asset: Asset?)] = []
    /// The owners of whom removed files are missing in the list, because there are too many.
    package fileprivate(set) var incompleteOwners: Set<String> = []
    /// Whether changes of any owner are missing, because too many were made.
    package fileprivate(set) var isIncomplete = false
    fileprivate let newest: Int
}

/// Reads the changes that any process makes.
///
/// The database keeps the last 10,000 changes. Reading has no effect on other readers.
///
/// Source: IM-6; the triggers of `Schema.pictureChanges`.
package actor AssetChangeReader {
    /// The maximum number of listed files of one owner in one reading.
    package static let maximumListed = 20
    /// The maximum number of files of one owner that are no longer listed in one reading.
    package static let maximumGone = 200

    private let database: Database
    private var last: Int?

    /// Creates a reader.
    package init(_ store: AssetStore) { database = store.database }

    /// Whether ``confirm(_:)`` was called.
    package var hasStarted: Bool { last != nil }

    /// Returns the last files of each owner that changed since the confirmed changes. Before the first confirmation it
    /// returns none.
    ///
    /// - Throws: `DatabaseError`.
    package func next() async throws -> AssetChanges {
        let previous = last
        return try await database.read { connection in
            let newest = try connection.first(AssetStatements.lastChange) ?? 0
            var changes = AssetChanges(newest: newest)
            guard let previous, newest > previous else { return changes }
            // Without a row, all of them were deleted.
            let oldest = try connection.first(AssetStatements.firstChange) ?? nil
            changes.isIncomplete = oldest.map { $0 > previous + 1 } ?? true
            let found = try connection.all(AssetStatements.changes, previous, Self.maximumListed, Self.maximumGone)
            for (change, total) in found {
                if change.kind.isGone, total > Self.maximumGone { changes.incompleteOwners.insert(change.owner) }
                let asset = change.kind.isGone ? nil : try connection.first(AssetStatements.byID, change.asset)
                let isListed = asset.map { $0.owner == change.owner && $0.visibility == .timeline && !$0.isLocked }
                changes.list.append((change, isListed == true ? asset : nil))
            }
            return changes
        }
    }

    /// Records that changes were handled, so that they are not returned again.
    package func confirm(_ changes: AssetChanges) { last = changes.newest }
}
