import Database
package import FoundationEssentials
import Primitives

/// Which files a timeline has: those of an album or of all albums, with one visibility or all that are listed.
package struct TimelineQuery: Sendable, Equatable {
    /// The album. Nil for the whole library.
    package var album: UUID?
    /// The visibility. Nil for the timeline and the archive.
    package var visibility: AssetVisibility?
    /// Whether the oldest files are first.
    package var isAscending: Bool

    /// Creates a query.
    package init(album: UUID? = nil, visibility: AssetVisibility? = nil, isAscending: Bool = false) {
        self.album = album
        self.visibility = visibility
        self.isAscending = isAscending
    }
}

/// A month with files, by the times that the cameras' clocks showed.
package struct TimelineMonth: Sendable, Equatable {
    /// The first day of the month: `2024-07-01`.
    package let day: String
    /// The number of files.
    package let count: Int
}

/// The data about a file in a timeline.
package struct TimelineAsset: Sendable, Equatable {
    package let id: UUID
    package let owner: String
    package let kind: AssetKind
    package let visibility: AssetVisibility
    /// Width by height. 1 when one of them is not known.
    package let ratio: Double
    package let taken: Date
    package let takenLocally: Date
    /// The duration in milliseconds. Nil for photographs.
    package let duration: Int?
    /// The id of the video, for a live photograph. Nil for other files.
    package let motion: UUID?

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        id = try row.get(0)
        owner = try row.get(1)
        kind = try row.get(2)
        visibility = try row.get(3)
        let (width, height): (Int?, Int?) = (try row.get(4), try row.get(5))
        if let width, let height, width > 0, height > 0 { ratio = Double(width) / Double(height) } else { ratio = 1 }
        taken = try row.get(6)
        takenLocally = try row.get(7)
        duration = try row.get(8)
        motion = try row.get(9)
    }
}

/// The first moments of a month and of the month after it, in UTC.
private struct Month {
    let start: Date
    let end: Date

    /// Parses the first day of a month, `2024-07-01`. Nil for any other text.
    init?(firstDay day: String) {
        let parts = day.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], parts[2] == "01",
            parts.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), (1...12).contains(month)
        else { return nil }
        func start(_ month: Int) -> Date {
            Date(timeIntervalSince1970: Double(CivilDate(year: year, month: month, day: 1).daysSince1970) * 86_400)
        }
        (self.start, end) = (start(month), month < 12 ? start(month + 1) : start(12) + 31 * 86_400)
    }
}

extension AssetStore {
    /// Returns the months of a timeline, each with at least one file.
    ///
    /// - Parameters:
    ///   - query: Which files the timeline has.
    ///   - owners: The owners whose files the person may see.
    /// - Returns: The months in the order of the query.
    /// - Throws: `DatabaseError`; ``GatewayError/Code/busy`` when too many reads of the person are waiting.
    package func months(_ query: TimelineQuery, for owners: AssetOwners) async throws -> [TimelineMonth] {
        let months = try await read(for: owners) {
            try $0.all(AssetStatements.months, owners.email, owners.id, query.visibility, query.album)
        }
        return query.isAscending ? months : months.reversed()
    }

    /// Returns the files of a month of a timeline.
    ///
    /// - Parameters:
    ///   - day: The first day of the month, `2024-07-01`. For any other day there are no files.
    ///   - query: Which files the timeline has.
    ///   - owners: The owners whose files the person may see.
    /// - Returns: The files in the order of the query, at most 100,000.
    /// - Throws: `DatabaseError`; ``GatewayError/Code/busy`` when too many reads of the person are waiting.
    package func assets(
        of day: String, _ query: TimelineQuery, for owners: AssetOwners
    ) async throws -> [TimelineAsset] {
        guard let month = Month(firstDay: day) else { return [] }
        let statement = query.isAscending ? AssetStatements.monthAscending : AssetStatements.monthDescending
        return try await read(for: owners) {
            try $0.all(statement, owners.email, owners.id, query.visibility, query.album, month.start, month.end)
        }
    }
}

/// The SQL for timelines.
extension AssetStatements {
    private static let inTimeline =
        """
        owner IN (?1, ?2, '\(AssetOwners.shared)')
            AND visibility IN (coalesce(?3, 'timeline'), coalesce(?3, 'archive'))
            AND (NOT is_locked OR visibility = 'locked')
            AND (?4 IS NULL OR folder = (SELECT path FROM asset_folders WHERE id = ?4))
        """

    static let months = Statement(
        """
        SELECT day, CAST(sum(count) AS BIGINT) FROM asset_months
        WHERE owner IN (?1, ?2, '\(AssetOwners.shared)')
            AND visibility IN (coalesce(?3, 'timeline'), coalesce(?3, 'archive'))
            AND folder = CASE WHEN ?4 IS NULL THEN '' ELSE (SELECT path FROM asset_folders WHERE id = ?4) END
        GROUP BY day ORDER BY day
        """,
        String.self, String.self, AssetVisibility?.self, UUID?.self
    ) { row throws(DatabaseError) in TimelineMonth(day: try row.get(0), count: try row.get(1)) }

    static let monthAscending = Statement(
        month("ASC"), String.self, String.self, AssetVisibility?.self, UUID?.self, Date.self, Date.self,
        row: TimelineAsset.init)
    static let monthDescending = Statement(
        month("DESC"), String.self, String.self, AssetVisibility?.self, UUID?.self, Date.self, Date.self,
        row: TimelineAsset.init
    )

    /// The conditions on `taken_at` let the database use the index. The time of a camera differs by less than a day. The
    /// limit bounds the memory that one request takes.
    private static func month(_ order: String) -> String {
        """
        SELECT id, owner, kind, visibility, width, height, taken_at, local_at, duration, motion_id FROM assets
        WHERE \(inTimeline)
            AND taken_at >= ?5 - 2 * 86400000 AND taken_at < ?6 + 2 * 86400000 AND local_at >= ?5 AND local_at < ?6
        ORDER BY taken_at \(order), rowid \(order) LIMIT 100000
        """
    }
}
