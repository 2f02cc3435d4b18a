import FoundationEssentials

/// Instants as text, written without a formatter: `/me` and every log line need one.
enum Timestamp {
    /// `2026-11-21T04:15:14Z`, in UTC, rounded down to the second; a fraction of three digits when asked.
    ///
    /// Source: RFC 3339 §5.6; the days-to-date arithmetic is Howard Hinnant's `civil_from_days`.
    static func text(_ date: Date, fraction: Bool = false) -> String {
        String(decoding: bytes(date, fraction: fraction), as: UTF8.self)
    }

    /// The same as ``text(_:fraction:)``, as ASCII.
    static func bytes(_ date: Date, fraction: Bool = false) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(24)
        append(date, fraction: fraction, to: &text)
        return text
    }

    /// Appends the same.
    static func append(_ date: Date, fraction: Bool = false, to text: inout [UInt8]) {
        // Years 0000 to 9999 only; nothing the gateway stores is near either end.
        let seconds = min(max(date.timeIntervalSince1970, -62_167_219_200), 253_402_300_799.999)
        // A whole millisecond is rarely a whole number of a thousandth of a double: without this it would be the one before.
        let milliseconds = Int((seconds * 1_000 + 0.001).rounded(.down))
        let (day, rest) = floorDivision(milliseconds, 86_400_000)
        let (year, month, dayOfMonth) = civil(day)
        append(year, 4, to: &text)
        text.append(UInt8(ascii: "-"))
        append(month, 2, to: &text)
        text.append(UInt8(ascii: "-"))
        append(dayOfMonth, 2, to: &text)
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

    private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = floorDivision(day + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func floorDivision(_ value: Int, _ divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
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
