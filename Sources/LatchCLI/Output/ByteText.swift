import FoundationEssentials

/// Formats numbers of bytes and durations for people.
enum ByteText {
    /// Returns a text such as `3.7 MB`, in decimal units, as used for disks and networks.
    static func of(_ bytes: Int) -> String {
        var value = Double(bytes)
        var units = ["bytes", "kB", "MB", "GB", "TB"][...]
        while value >= 999.5, units.count > 1 {
            value /= 1000
            units.removeFirst()
        }
        let number = units.first == "bytes" ? "\(bytes)" : value < 9.95 ? tenths(value) : "\(Int(value.rounded()))"
        return "\(number) \(units.first ?? "")"
    }

    /// Returns a text such as `1:05` or `2:03:10`.
    static func time(_ seconds: Int) -> String {
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
        return hours > 0
            ? "\(hours):\(twoDigits(minutes)):\(twoDigits(rest))" : "\(minutes):\(twoDigits(rest))"
    }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
