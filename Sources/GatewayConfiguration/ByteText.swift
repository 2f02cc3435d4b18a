/// Sizes in the format of the configuration: a whole number and a unit, `16KiB`, `1MiB`, `2GiB`.
package enum ByteText {
    /// The unit of a number. The raw value is the number of bytes.
    enum Unit: Int, CaseIterable {
        case gibibytes = 1_073_741_824
        case mebibytes = 1_048_576
        case kibibytes = 1_024
        case bytes = 1

        var name: String {
            switch self {
            case .gibibytes: "GiB"
            case .mebibytes: "MiB"
            case .kibibytes: "KiB"
            case .bytes: "B"
            }
        }
    }

    /// Reads a size and returns it in bytes. A number without a unit is in `defaultValue`. Nil for negative numbers,
    /// unknown units and overflows.
    static func read(_ text: String, unit defaultValue: Unit) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let name = text.dropFirst(digits.count)
        let unit = name.isEmpty ? defaultValue : Unit.allCases.first { $0.name == name }
        guard let number = Int(digits), let unit else { return nil }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: unit.rawValue)
        return overflows ? nil : bytes
    }

    /// Returns a size in the largest unit that needs no fraction.
    package static func show(_ bytes: Int) -> String {
        let unit = Unit.allCases.first { bytes != 0 && bytes % $0.rawValue == 0 } ?? .bytes
        return "\(bytes / unit.rawValue)\(unit.name)"
    }
}
