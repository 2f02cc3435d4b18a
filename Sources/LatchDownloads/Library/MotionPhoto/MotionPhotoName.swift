/// What a Motion Photo is called: `IMG_1234.MP.jpg`.
///
/// Source: Google, "Motion Photo format specification 1.0", file name pattern.
enum MotionPhotoName {
    private static let mark = ".MP"

    /// The name of the one file for a still's name.
    static func of(_ filename: String) -> String {
        let name = SafeFileName(filename)
        return name.stem.hasSuffix("MP") ? name.text : name.stem + mark + name.ending
    }

    /// Whether a path is that of a Motion Photo.
    static func isOne(_ path: String) -> Bool {
        let stem = path.lowercased()
        return [".jpg", ".jpeg"].contains { stem.hasSuffix("mp" + $0) }
    }
}
