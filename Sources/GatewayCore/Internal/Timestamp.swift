package import FoundationEssentials
import Primitives

/// Formats points in time as text without a formatter, because `/me` and every log line contain one.
package enum Timestamp {
    /// Returns a time such as `2026-11-21T04:15:14Z`, in UTC, rounded down to the second. With `fraction`, three digits
    /// of a second are added.
    ///
    /// Source: RFC 3339 §5.6.
    package static func text(_ date: Date, fraction: Bool = false) -> String {
        String(decoding: bytes(date, fraction: fraction), as: UTF8.self)
    }

    /// Returns ``text(_:fraction:)`` as ASCII bytes.
    package static func bytes(_ date: Date, fraction: Bool = false) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(24)
        append(date, fraction: fraction, to: &text)
        return text
    }

    /// Appends ``text(_:fraction:)`` to `text`.
    package static func append(_ moment: Date, fraction: Bool = false, to text: inout [UInt8]) {
        // Years 0000 to 9999 only; nothing that the gateway stores is near either end.
        let seconds = min(max(moment.timeIntervalSince1970, -62_167_219_200), 253_402_300_799.999)
        // A whole number of milliseconds is rarely exact as a `Double` in seconds. Without the addition, rounding down
        // would give the previous millisecond.
        let milliseconds = Int((seconds * 1_000 + 0.001).rounded(.down))
        let (day, rest) = milliseconds.flooredDivision(by: 86_400_000)
        let date = CivilDate(daysSince1970: day)
        append(date.year, 4, to: &text)
        text.append(UInt8(ascii: "-"))
        append(date.month, 2, to: &text)
        text.append(UInt8(ascii: "-"))
        append(date.day, 2, to: &text)
        text.append(UInt8(ascii: "T"))
        append(rest / 3_600_000, 2, to: &text)
        text.append(UInt8(ascii: ":"))
        append(rest / 60_000 % 60, 2, to: &text)
        text.append(UInt8(ascii: ":"))
        append(rest / 1_000 % 60, 2, to: &text)
        if fraction {
            text.append(UInt8(ascii: "."))
            append(rest % 1_000, 3, to: &text)
        }
        text.append(UInt8(ascii: "Z"))
    }

    private static func append(_ value: Int, _ digits: Int, to text: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            text.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }
}
