import CQREncode

/// A text as a QR code, for a telephone's camera to read from the screen.
///
/// Source: ISO/IEC 18004:2015; libqrencode 4.1.1.
public struct QRCode: Sendable, Equatable {
    /// The light border that readers need, in modules.
    ///
    /// Source: ISO/IEC 18004:2015 §6.3.8.
    public static let quietZone = 4

    /// How many modules a side has, without the border.
    public let size: Int
    private let modules: [Bool]

    /// Makes the smallest code of a text; nil for an empty text and for one that no code can hold, above 2,953 bytes.
    ///
    /// The lowest correction is enough on a screen and keeps the code small.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count <= 2_953,
            let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_L)
        else { return nil }
        defer { QRcode_free(code) }
        size = Int(code.pointee.width)
        modules = UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
    }

    /// Whether the module at a place is dark; everything outside is light.
    public func isDark(row: Int, column: Int) -> Bool {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
        return modules[row * size + column]
    }

    /// How many columns ``lines(isColored:)`` take.
    public var columns: Int { size + 2 * Self.quietZone }

    /// The code for a terminal, two modules a character.
    ///
    /// - Parameter isColored: Whether black and white are named, so that the terminal's own colours do not matter. Without
    ///   them light is what is written, as it must be on a dark terminal.
    /// - Returns: The lines, from top to bottom.
    public func lines(isColored: Bool) -> [String] {
        let range = -Self.quietZone..<size + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            let line = range.map { column in
                let (upper, lower) = (isDark(row: row, column: column), isDark(row: row + 1, column: column))
                return Self.block(upper == isColored, lower == isColored)
            }.joined()
            return isColored ? Self.blackOnWhite + line + Self.plain : line
        }
    }

    private static func block(_ upper: Bool, _ lower: Bool) -> String {
        switch (upper, lower) {
        case (true, true): "\u{2588}"
        case (true, false): "\u{2580}"
        case (false, true): "\u{2584}"
        case (false, false): " "
        }
    }

    // The two ends of the colour cube, which themes leave alone. Source: ECMA-48 §8.3.117; xterm's control sequences.
    private static let blackOnWhite = "\u{1B}[38;5;16;48;5;231m"
    private static let plain = "\u{1B}[0m"
}
