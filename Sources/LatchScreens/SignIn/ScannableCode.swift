import QRCode

/// The QR code of a text: a square of dark and light modules.
///
/// A front end draws it black on white in every colour scheme, with a white border of at least four modules.
public struct ScannableCode: Sendable, Equatable {
    private let code: QRCode

    /// Makes the code of a text. Nil for an empty text and for more than 2,953 bytes.
    init?(_ text: String) {
        guard let code = QRCode(text) else { return nil }
        self.code = code
    }

    /// The number of modules of a side, without the border: 21 to 177.
    public var size: Int { code.size }

    /// Returns whether a module is dark. Positions outside of the code are light.
    public func isDark(row: Int, column: Int) -> Bool { code.isDark(row: row, column: column) }
}
