import FoundationEssentials

/// How files are arranged in a library's folder.
///
/// Source: DL-11; JEITA CP-3461 (DCF) §3.2, whose folders are three digits and five letters.
public enum LibraryLayout: String, Sendable, CaseIterable, Codable {
    /// All files directly in the folder, as in Immich's own app: `IMG_1234.jpg`.
    case flat
    /// Numbered folders of a thousand files, as on a camera: `100IMMIC/IMG_1234.jpg`.
    case dcim
    /// Folders for the month in which the files were taken: `2026/07/IMG_1234.jpg`, or `undated/`.
    case date

    /// Returns the folder of the month, from the camera's local time if it is known.
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

/// Chooses the folder for the next file, numbered as on a camera's memory card.
struct CameraFolders {
    private static let range = 100...999
    private static let suffix = "IMMIC"
    /// The number of files in a folder, as on cameras. More files make some programs slow.
    private static let size = 1_000
    private static let remembered = 10_000

    private var number = 0
    private var count = 0
    /// The folders of files that are being moved to their destinations. Both parts of a live photo go to the same
    /// folder.
    private var chosen: [String: Int] = [:]

    /// Returns the folder of a file. Both parts of a live photo have the same key.
    mutating func folder(for key: String, in library: String) -> String {
        if number == 0 { scan(in: library) }
        if let number = chosen[key] { return "\(number)\(Self.suffix)" }
        // DCF has no folder after 999, so the last one takes all further files.
        if count >= Self.size, number < Self.range.upperBound { (number, count) = (number + 1, 0) }
        count += 1
        if chosen.count >= Self.remembered { chosen.removeAll() }
        chosen[key] = number
        return "\(number)\(Self.suffix)"
    }

    private mutating func scan(in library: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: library)) ?? []
        let numbers = names.compactMap { name in
            name.hasSuffix(Self.suffix) && name.utf8.count == 8 ? Int(name.prefix(3)) : nil
        }
        number = numbers.filter(Self.range.contains).max() ?? Self.range.lowerBound
        let folder = "\(library)/\(number)\(Self.suffix)"
        count = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).count
    }
}
