package import FoundationEssentials
import Primitives

extension Timestamp {
    /// Reads a date, or a date and a time with seconds and an optional fraction. The time is in UTC (`Z`), at an
    /// offset, or, without either, interpreted as UTC. Nil for any other text, and for years before 1800 and after
    /// 9999.
    ///
    /// Source: RFC 3339 §5.6; ECMA-262 §21.4.1.32 for the date alone.
    package static func date(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 10, bytes.count <= 40, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            (1800...9999).contains(year), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let midnight = Date(
            timeIntervalSince1970: Double(CivilDate(year: year, month: month, day: day).daysSince1970) * 86_400)
        return bytes.count == 10 ? midnight : seconds(bytes[10...]).map(midnight.addingTimeInterval)
    }

    /// Returns the seconds since midnight of `T10:20:30.5+02:00`, minus the offset.
    private static func seconds(_ text: ArraySlice<UInt8>) -> Double? {
        let bytes = Array(text)
        guard bytes.count >= 9, [UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: " ")].contains(bytes[0]),
            let hour = number(bytes[1..<3]), let minute = number(bytes[4..<6]), let second = number(bytes[7..<9]),
            bytes[3] == UInt8(ascii: ":"), bytes[6] == UInt8(ascii: ":"), hour < 24, minute < 60, second <= 60
        else { return nil }
        var rest = bytes[9...]
        var fraction = 0.0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix { isDigit($0) }
            guard (1...9).contains(digits.count), let number = number(digits) else { return nil }
            fraction = Double(number)
            for _ in digits { fraction /= 10 }
            rest = rest.dropFirst(1 + digits.count)
        }
        guard let offset = offset(rest) else { return nil }
        return Double(hour * 3_600 + minute * 60 + second - offset) + fraction
    }

    private static func offset(_ text: ArraySlice<UInt8>) -> Int? {
        let bytes = Array(text)
        if bytes.isEmpty || bytes == [UInt8(ascii: "Z")] || bytes == [UInt8(ascii: "z")] { return 0 }
        guard bytes.count == 6, bytes[3] == UInt8(ascii: ":"), let hours = number(bytes[1..<3]),
            let minutes = number(bytes[4..<6]), hours < 24, minutes < 60
        else { return nil }
        switch bytes[0] {
        case UInt8(ascii: "+"): return hours * 3_600 + minutes * 60
        case UInt8(ascii: "-"): return -(hours * 3_600 + minutes * 60)
        default: return nil
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy(isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
