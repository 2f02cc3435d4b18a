import FoundationEssentials

/// Formats bytes, shares, rates and durations of downloads for people.
///
/// Source: DL-7, DL-9.
package enum TransferText {
    /// Returns a text such as `3.7 MB`, in decimal units, as used for disks and networks.
    package static func bytes(_ bytes: Int) -> String {
        var value = Double(bytes)
        var units = ["bytes", "kB", "MB", "GB", "TB"][...]
        while value >= 999.5, units.count > 1 {
            value /= 1000
            units.removeFirst()
        }
        let number = units.first == "bytes" ? "\(bytes)" : value < 9.95 ? tenths(value) : "\(Int(value.rounded()))"
        return "\(number) \(units.first ?? "")"
    }

    /// Returns a text such as `2.4 MB / 3.7 MB`, or `2.4 MB` when the total is unknown.
    package static func bytes(_ received: Int, of total: Int?) -> String {
        total.map { "\(bytes(received)) / \(bytes($0))" } ?? bytes(received)
    }

    /// Returns the received share, from 0 to 1. Nil when the total is unknown or 0.
    package static func fraction(_ received: Int, of total: Int?) -> Double? {
        guard let total, total > 0 else { return nil }
        return min(1, max(0, Double(received) / Double(total)))
    }

    /// Returns a text such as `65%`. Nil when the total is unknown or 0. 100% means that every byte is here.
    package static func percent(_ received: Int, of total: Int?) -> String? {
        fraction(received, of: total).map { "\(Int($0 * 100))%" }
    }

    /// Returns a text such as `2.4 MB/s`. Nil below one byte per second.
    package static func rate(_ rate: Double) -> String? { rate >= 1 ? "\(bytes(Int(rate)))/s" : nil }

    /// Returns a text such as `1:05` or `2:03:10`.
    package static func time(_ seconds: Int) -> String {
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

extension OverallProgress {
    /// The number of ended files and that of all files, such as `3 of 10 files`.
    package var filesText: String {
        let count = done + skipped + failed
        return "\(count) of \(count + open) files"
    }

    /// The number of received bytes and of all bytes, such as `2.4 MB of 3.7 MB`, or without the latter when it is
    /// unknown.
    package var bytesText: String {
        total.map { "\(TransferText.bytes(received)) of \(TransferText.bytes(max($0, received)))" }
            ?? TransferText.bytes(received)
    }

    /// The transfer rate, such as `2.4 MB/s`. Nil below one byte per second.
    package var rateText: String? { TransferText.rate(rate) }

    /// The remaining time, such as `1:05 left`. Nil when nothing is open or it cannot be estimated.
    package var timeLeftText: String? {
        open > 0 ? secondsLeft.map { "\(TransferText.time($0)) left" } : nil
    }
}
