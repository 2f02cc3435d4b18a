extension Unicode.Scalar {
    /// Whether two texts can look the same although only one has this character: a control, formatting, private,
    /// unassigned or ignored character, such as a filler of Hangul, a variation selector or a tag, or a symbol that
    /// shows nothing. White space is not one.
    ///
    /// Source: Unicode Standard Annex #44, `Default_Ignorable_Code_Point`; Unicode Technical Standard #39 §5.1.
    package var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: properties.isDefaultIgnorableCodePoint || Self.blankSymbols.contains(self)
        }
    }

    /// A Braille pattern without dots, the object replacement character, the full and the half blank of hieroglyphs, the
    /// filler of the Khitan small script, and a note without a head.
    private static let blankSymbols: Set<Unicode.Scalar> = [
        "\u{2800}", "\u{FFFC}", "\u{13441}", "\u{13442}", "\u{16FE4}", "\u{1D159}",
    ]
}
