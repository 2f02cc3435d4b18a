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
    }

    /// The id of the file.
    package let asset: UUID
    /// The owner for whom the file changed.
    package let owner: String
    package let kind: Kind
}

/// The changes since a reading.
package struct AssetChanges: Sendable {
    /// The changes in their order, with the files that are still listed.
    package fileprivate(set) var list: [(change: AssetChange, asset: Asset?)] = []
    /// Whether changes are missing because too many were made.
    package fileprivate(set) var isIncomplete = false
}

/// Reads the changes that any process makes.
///
/// The database keeps the last 10,000 changes. Reading has no effect on other readers.
///
/// Source: IM-6; the triggers of `Schema.pictureChanges`.
package actor AssetChangeReader {
    /// The maximum number of files of one owner in one reading.
    package static let maximumPerOwner = 20

    private let database: Database
    private var last: Int?

    /// Creates a reader.
    package init(_ store: AssetStore) { database = store.database }

    /// Whether ``next()`` was called.
    package var hasStarted: Bool { last != nil }

    /// Returns the last files of each owner that changed since the previous call. The first call returns nothing.
    ///
    /// - Throws: `DatabaseError`.
    package func next() async throws -> AssetChanges {
        let previous = last
        let (found, newest) = try await database.read { connection in
            var changes = AssetChanges()
            let newest = try connection.first(AssetStatements.lastChange) ?? 0
            guard let previous, newest > previous else { return (changes, newest) }
            // Without a row, all of them were deleted.
            let oldest = try connection.first(AssetStatements.firstChange) ?? nil
            changes.isIncomplete = oldest.map { $0 > previous + 1 } ?? true
            for change in try connection.all(AssetStatements.changes, previous, Self.maximumPerOwner) {
                let asset = try connection.first(AssetStatements.byID, change.asset)
                let isListed = asset.map { $0.owner == change.owner && $0.visibility == .timeline && !$0.isLocked }
                changes.list.append((change, isListed == true ? asset : nil))
            }
            return (changes, newest)
        }
        last = newest
        return found
    }
}
