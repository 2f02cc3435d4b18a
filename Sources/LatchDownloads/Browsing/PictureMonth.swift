import FoundationEssentials

/// A month of a picture library.
public struct PictureMonth: Sendable, Hashable {
    /// The year, 1 to 9999.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int
    /// The number of pictures and videos.
    public internal(set) var count: Int
    /// The month as the server writes it.
    let bucket: String

    /// Reads a month such as `2024-07-01` or `2024-07-01T00:00:00.000Z`. Nil for any other text.
    init?(bucket: String, count: Int) {
        let parts = bucket.utf8.prefix(10).split(separator: UInt8(ascii: "-")).map { Int(Substring($0)) }
        guard bucket.utf8.count <= 40, parts.count == 3, let year = parts[0], let month = parts[1],
            (1...9_999).contains(year), (1...12).contains(month), (1...PictureList.maximumCount).contains(count)
        else { return nil }
        (self.year, self.month, self.count, self.bucket) = (year, month, count, bucket)
    }

    /// The first moment of the month and of the next one in UTC. The clock of a camera differs by less than a day.
    var period: Range<Date>? {
        guard let start = Self.start(year, month),
            let end = month == 12 ? Self.start(year + 1, 1) : Self.start(year, month + 1)
        else { return nil }
        return start..<end
    }

    private static func start(_ year: Int, _ month: Int) -> Date? {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.date(from: DateComponents(year: year, month: month, day: 1))
    }
}
