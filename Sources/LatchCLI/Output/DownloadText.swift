import HTTPMessages
import LatchDownloads
import LatchKit
import Primitives
import Terminal

/// Formats lines about downloads.
enum DownloadText {
    /// Returns the line of one file, with bar, bytes and name, in at most `width` columns.
    static func file(_ name: String, received: Int, total: Int?, width: Int) -> String {
        let bytes = TransferText.bytes(received, of: total)
        let padding = String(repeating: " ", count: max(0, 19 - bytes.count))
        // A narrow terminal has room for a percentage, but not for a bar.
        let share = width < narrow ? percent(received, total) : bar(received, total)
        return fitting("\(share)  \(bytes)\(width < narrow ? "" : padding)  \(name.printable)", width)
    }

    /// Returns the line for all files.
    static func overall(_ overall: OverallProgress) -> String {
        [overall.filesText, overall.bytesText, overall.rateText, overall.timeLeftText].compactMap(\.self)
            .joined(separator: "  ")
    }

    /// Returns a text in at most `width` columns. A longer text is cut and ends with `…`.
    static func fitting(_ text: String, _ width: Int) -> String {
        var (columns, cut) = (0, "")
        for character in text {
            columns += Self.columns(of: character)
            if columns > width { return String(cut.dropLast()) + "…" }
            cut.append(character)
        }
        return text
    }

    /// Source: Unicode UAX #11, wide and fullwidth blocks, as precisely as a progress bar needs.
    private static func columns(of character: Character) -> Int {
        guard let value = character.unicodeScalars.first?.value else { return 0 }
        let isWide =
            (0x1100...0x115F).contains(value) || (0x2E80...0xA4CF).contains(value)
            || (0xAC00...0xD7A3).contains(value) || (0xF900...0xFAFF).contains(value)
            || (0xFE30...0xFE6F).contains(value) || (0xFF00...0xFF60).contains(value)
            || (0x1F300...0x1FAFF).contains(value) || (0x20000...0x3FFFD).contains(value)
        return isWide ? 2 : 1
    }

    private static let narrow = 64

    private static func percent(_ received: Int, _ total: Int?) -> String {
        let percent = TransferText.percent(received, of: total) ?? ""
        return String(repeating: " ", count: 4 - percent.count) + percent
    }

    private static func bar(_ received: Int, _ total: Int?) -> String {
        guard let share = TransferText.fraction(received, of: total) else {
            return "[" + String(repeating: "·", count: 20) + "]     "
        }
        let filled = Int(share * 20)
        return "[" + String(repeating: "█", count: filled) + String(repeating: "░", count: 20 - filled) + "] "
            + percent(received, total)
    }
}

extension DownloadEvent {
    /// The id of the task whose name is shown with the event. Nil when no name is shown.
    var idToName: String? {
        switch self {
        case .progress(let id, _, _), .error(let id, _): id
        case .status, .complete, .overall, .pauseReasonChanged: nil
        }
    }

    /// The event as one line of JSON.
    var json: JSONValue {
        func number(_ value: Int?) -> JSONValue { value.map { .number(Double($0)) } ?? .null }
        switch self {
        case .progress(let id, let received, let total):
            return ["event": "progress", "id": .string(id), "received": number(received), "total": number(total)]
        case .status(let id, let state): return ["event": "status", "id": .string(id), "state": .string(state.word)]
        case .complete(let id, let path): return ["event": "complete", "id": .string(id), "path": .string(path)]
        case .error(let id, let reason): return ["event": "error", "id": .string(id), "reason": .string(reason)]
        case .pauseReasonChanged(let reason):
            return ["event": "held", "reason": reason.map { .string($0.sentence) } ?? .null]
        case .overall(let all):
            return [
                "event": "overall", "done": number(all.done), "skipped": number(all.skipped),
                "failed": number(all.failed), "open": number(all.open), "received": number(all.received),
                "total": number(all.total), "bytesPerSecond": .number(all.rate.rounded()),
                "secondsLeft": number(all.secondsLeft),
            ]
        }
    }
}
