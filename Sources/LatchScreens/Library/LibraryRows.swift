import FoundationEssentials
public import LatchDownloads

/// An album in the list. Texts from the server are safe to be displayed.
public struct LibraryAlbumRow: Hashable, Identifiable, Sendable {
    /// The id of the album.
    public let id: String
    /// The name in one line, or a word for an album without one.
    public let name: String
    /// The number of pictures, such as "12 pictures". Empty when the server does not tell.
    public let count: String
    /// The picture that stands for the album. Nil when there is none.
    public let cover: PictureID?

    /// The largest number of albums that are shown. Each row has a view, and a server may send more.
    public static let most = 500

    /// That some albums are not shown, and how to download them, as sentences. Nil when all are shown.
    public static func note(_ rows: [Self]) -> String? {
        guard rows.count > most else { return nil }
        return "The first \(most) of \(rows.count) albums are shown. To download another one, enter in a terminal: "
            + "latch download --album NAME"
    }

    init(_ album: LibraryAlbum) {
        id = album.id
        let name = ScreenText.line(album.name)
        self.name = name.allSatisfy { $0.isWhitespace || $0 == "\u{FFFD}" } ? "Untitled album" : name
        count = album.count.map(LibraryText.pictures) ?? ""
        cover = album.cover
    }
}

/// A year in the list.
public struct LibraryYearRow: Hashable, Identifiable, Sendable {
    /// The year.
    public let year: Int
    /// The number of pictures, such as "12 pictures".
    public let count: String
    /// The year.
    public var id: Int { year }

    static func rows(of months: [PictureMonth]) -> [Self] {
        let counts = Dictionary(months.map { ($0.year, $0.count) }, uniquingKeysWith: +)
        return counts.keys.sorted(by: >).map { Self(year: $0, count: LibraryText.pictures(counts[$0] ?? 0)) }
    }
}

/// A month of the grid.
public struct LibraryMonthRow: Hashable, Identifiable, Sendable {
    /// The month, such as "July 2024".
    public let title: String
    /// The positions of its pictures in the grid.
    public let positions: Range<Int>
    /// The number of pictures, such as "12 pictures".
    public var count: String { LibraryText.pictures(positions.count) }
    /// The month, such as "July 2024".
    public var id: String { title }

    /// The largest number of months that are shown: those of a century. Each row has a view, and a server may send more.
    public static let most = 1_200

    /// That some months are not shown, as a sentence. Nil when all are.
    public static func note(_ rows: [Self]) -> String? {
        rows.count > most ? "The first \(most) of \(rows.count) months are shown." : nil
    }

    @MainActor static func rows(of list: PictureList) -> [Self] {
        list.months.enumerated().compactMap { index, month in
            let positions = list.positions(ofMonth: index)
            return positions.isEmpty
                ? nil : Self(title: "\(LibraryText.months[month.month - 1]) \(month.year)", positions: positions)
        }
    }
}

/// A picture in the grid.
public struct LibraryPictureCell: Hashable, Identifiable, Sendable {
    /// The id of the picture.
    public let id: PictureID
    /// What the picture is, for people who do not see it, such as "Photo, 3 July 2024, 13:20".
    public let label: String
    /// Whether it is a video.
    public let isVideo: Bool
    /// Whether it is a live photo.
    public let isLive: Bool
    /// Whether it is selected.
    public let isSelected: Bool

    init(_ picture: LibraryPicture, isSelected: Bool) {
        id = picture.id
        isVideo = picture.isVideo
        isLive = picture.isLive
        let kind = picture.isVideo ? "Video" : picture.isLive ? "Live photo" : "Photo"
        label = picture.taken > .distantPast ? "\(kind), \(LibraryText.time(picture.taken))" : kind
        self.isSelected = isSelected
    }
}

/// Texts about pictures.
enum LibraryText {
    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    static func pictures(_ count: Int) -> String { count == 1 ? "1 picture" : "\(count) pictures" }

    /// Returns a time such as "3 July 2024, 13:20", in the time zone of this device.
    static func time(_ date: Date) -> String {
        let parts = Calendar(identifier: .gregorian).dateComponents([.year, .month, .day, .hour, .minute], from: date)
        guard let year = parts.year, let month = parts.month, let day = parts.day, let hour = parts.hour,
            let minute = parts.minute, months.indices.contains(month - 1)
        else { return "" }
        return "\(day) \(months[month - 1]) \(year), \(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}
