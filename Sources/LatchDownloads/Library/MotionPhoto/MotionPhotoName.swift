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
        let name = SafeFileName(String(path.lowercased().split(separator: "/").last ?? ""))
        var stem = name.stem
        // With a number, where the name was taken.
        if stem.hasSuffix(")"), let number = stem.firstRange(of: " (") { stem = stem[..<number.lowerBound] }
        return [".jpg", ".jpeg"].contains(String(name.ending)) && stem.hasSuffix("mp")
    }

    /// Whether a path may be that of a Motion Photo, whatever it is called: it is that of a JPEG, and no film's.
    static func mayBeOne(_ path: String) -> Bool {
        let name = path.lowercased()
        return name.hasSuffix(".jpg") || name.hasSuffix(".jpeg")
    }
}
