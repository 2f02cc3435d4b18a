/// The names of Motion Photos: `IMG_1234.MP.jpg`.
///
/// Source: Google, "Motion Photo format specification 1.0", file name pattern.
enum MotionPhotoName {
    private static let mark = ".MP"

    /// Returns the name of the joined file for the name of a still image.
    static func of(_ filename: String) -> String {
        let name = SafeFileName(filename)
        return name.stem.hasSuffix("MP") ? name.text : name.stem + mark + name.ending
    }

    /// Whether a path has the name of a Motion Photo.
    static func matches(_ path: String) -> Bool {
        let name = SafeFileName(String(path.lowercased().split(separator: "/").last ?? ""))
        var stem = name.stem
        // Without the number that is added when a name is taken.
        if stem.hasSuffix(")"), let number = stem.firstRange(of: " (") { stem = stem[..<number.lowerBound] }
        return [".jpg", ".jpeg"].contains(String(name.ending)) && stem.hasSuffix("mp")
    }

    /// Whether a path may belong to a Motion Photo of any name, because it belongs to a JPEG and not to a video.
    static func mayBeOne(_ path: String) -> Bool {
        let name = path.lowercased()
        return name.hasSuffix(".jpg") || name.hasSuffix(".jpeg")
    }
}
