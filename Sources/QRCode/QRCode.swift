import CQREncode

/// A QR code of a text, to be scanned from the screen with a phone.
///
/// Source: ISO/IEC 18004:2015; libqrencode 4.1.1.
package struct QRCode: Sendable, Equatable {
    /// The width of the light border that readers need, in modules.
    ///
    /// Source: ISO/IEC 18004:2015 §6.3.8.
    static let quietZone = 4

    /// The number of modules per side, without the border.
    package let size: Int
    private let modules: [Bool]

    /// Creates the smallest code for a text. Returns nil for an empty text and for more than 2,953 bytes, which no code
    /// can hold.
    ///
    /// It uses the lowest error correction level, which is enough on a screen and keeps the code small.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count <= 2_953,
            let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_L)
        else { return nil }
        defer { QRcode_free(code) }
        size = Int(code.pointee.width)
        modules = UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
    }

    /// Returns whether the module at a position is dark. Positions outside the code are light.
    package func isDark(row: Int, column: Int) -> Bool {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return false }
        return modules[row * size + column]
    }

    /// The number of columns that ``lines(isColored:)`` uses.
    package var columns: Int { size + 2 * Self.quietZone }

    /// Returns the code as lines for a terminal, with two modules in each character.
    ///
    /// - Parameter isColored: Whether to set black and white with escape sequences, so that the colours of the terminal
    ///   do not matter. When false, light modules are drawn in the foreground colour, which is correct on a dark
    ///   terminal only.
    /// - Returns: The lines, from top to bottom.
    package func lines(isColored: Bool) -> [String] {
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

    // Black and white from the colour cube, which themes do not change. Source: ECMA-48 §8.3.117; xterm's control
    // sequences.
    private static let blackOnWhite = "\u{1B}[38;5;16;48;5;231m"
    private static let plain = "\u{1B}[0m"
}
