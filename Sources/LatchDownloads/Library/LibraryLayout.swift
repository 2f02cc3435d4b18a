import FoundationEssentials

/// How files lie in a library's folder.
///
/// Source: DL-11; JEITA CP-3461 (DCF) §3.2, whose folders are three digits and five letters.
public enum LibraryLayout: String, Sendable, CaseIterable {
    /// All in the folder itself, as Immich's own app has them: `IMG_1234.jpg`.
    case flat
    /// As a camera has them, a thousand in a folder: `100IMMIC/IMG_1234.jpg`.
    case dcim
    /// By the month in which they were taken: `2026/07/IMG_1234.jpg`, or `undated/`.
    case date

    /// The folder of the month; of the time that the camera's clock showed, where that is known.
    static func month(_ task: DownloadTask) -> String {
        let utc = TimeZone(secondsFromGMT: 0) ?? .current
        let moment = task.metadata.takenLocally.map { ($0, utc) } ?? task.metadata.taken.map { ($0, .current) }
        guard let (date, zone) = moment else { return "undated" }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let parts = calendar.dateComponents([.year, .month], from: date)
        guard let year = parts.year, let month = parts.month, (1...9999).contains(year) else { return "undated" }
        return padded(year, 4) + "/" + padded(month, 2)
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

/// The folders of a camera's card: which one takes the next file.
struct CameraFolders {
    private static let range = 100...999
    private static let suffix = "IMMIC"
    /// As cameras have it; more than that makes some programs slow.
    private static let size = 1_000
    private static let remembered = 10_000

    private var number = 0
    private var count = 0
    /// Where the files go that are being put in their places: both parts of a live photo to one folder.
    private var chosen: [String: Int] = [:]

    /// The folder of a file, by what it shares with the other part of a live photo.
    mutating func folder(for key: String, in library: String) -> String {
        if number == 0 { look(in: library) }
        if let number = chosen[key] { return "\(number)\(Self.suffix)" }
        if count >= Self.size, number < Self.range.upperBound { (number, count) = (number + 1, 0) }
        count += 1
        if chosen.count >= Self.remembered { chosen.removeAll() }
        chosen[key] = number
        return "\(number)\(Self.suffix)"
    }

    private mutating func look(in library: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: library)) ?? []
        let numbers = names.compactMap { name in
            name.hasSuffix(Self.suffix) && name.utf8.count == 8 ? Int(name.prefix(3)) : nil
        }
        number = numbers.filter(Self.range.contains).max() ?? Self.range.lowerBound
        let folder = "\(library)/\(number)\(Self.suffix)"
        count = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).count
    }
}
