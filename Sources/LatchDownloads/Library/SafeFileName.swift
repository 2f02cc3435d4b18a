import Primitives

/// A file name from a server, made safe for every file system.
///
/// The result is a single name without separators, control characters, and the characters and names that other systems
/// refuse. It is not hidden, does not end with a space or dot, and has at most 255 bytes with its extension kept.
///
/// Source: DL-13; POSIX.1-2017 §3.170; Microsoft, "Naming Files, Paths, and Namespaces".
public struct SafeFileName: Sendable, Hashable, CustomStringConvertible {
    /// The safe name.
    public let text: String
    /// The safe name.
    public var description: String { text }

    private static let maximumBytes = 255
    private static let refused: Set<Unicode.Scalar> = ["/", "\\", ":", "*", "?", "\"", "<", ">", "|"]
    private static let reserved: Set<String> = {
        var names: Set = ["con", "prn", "aux", "nul"]
        for number in 1...9 { names.formUnion(["com\(number)", "lpt\(number)"]) }
        return names
    }()

    /// Creates a safe name from any text.
    public init(_ text: String) {
        guard !Self.isPlain(text) else {
            self.text = text
            return
        }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: continue
            default: scalars.append(Self.refused.contains(scalar) ? "_" : scalar)
            }
        }
        var name = String(scalars)
        name = Self.trimmed(name)
        if name.isEmpty { name = "unnamed" }
        // Windows reserves these names with every extension.
        if Self.reserved.contains(name.prefix(beforeBytes: ".").lowercased()) { name = "_" + name }
        self.text = Self.cut(name, to: Self.maximumBytes, suffix: "")
    }

    /// Whether a name is safe already, as most are: letters, digits and a few marks, with a stem that no system
    /// reserves.
    private static func isPlain(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, let last = bytes.last, isPlain(first), isPlain(last),
            bytes.count <= maximumBytes, bytes.allSatisfy({ isPlain($0) || $0 == 0x20 || $0 == UInt8(ascii: ".") })
        else { return false }
        // No reserved name is longer than four bytes.
        return bytes.prefix(5).allSatisfy { $0 != UInt8(ascii: ".") } && bytes.count >= 5
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "("),
            UInt8(ascii: ")"):
            true
        default: false
        }
    }

    /// Returns the name, with a number before its extension from attempt 1 on: `IMG_1.jpg`, `IMG_1 (2).jpg`.
    public func numbered(_ attempt: Int) -> String {
        attempt == 0 ? text : Self.cut(text, to: Self.maximumBytes, suffix: " (\(attempt + 1))")
    }

    /// The name in ASCII, for a file system that accepts nothing else. Nil when it is ASCII already.
    var plain: SafeFileName? {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        return SafeFileName(text.map { $0.isASCII ? String($0) : "_" }.joined())
    }

    /// The name without its extension.
    public var stem: Substring { Self.parts(text).stem }
    /// The extension with its dot. Empty when there is none.
    public var ending: Substring { Self.parts(text).ending }

    /// Removes dots and spaces from both ends.
    private static func trimmed(_ name: String) -> String {
        var scalars = name.unicodeScalars[...]
        while let first = scalars.first, first == "." || first == " " { scalars.removeFirst() }
        while let last = scalars.last, last == "." || last == " " { scalars.removeLast() }
        return String(scalars)
    }

    private static func parts(_ name: String) -> (stem: Substring, ending: Substring) {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex,
            name[dot...].utf8.count <= 12
        else {
            return (name[...], "")
        }
        return (name[..<dot], name[dot...])
    }

    /// Shortens a name between Unicode scalars, because a single character may have more combining marks than a name
    /// has bytes.
    private static func cut(_ name: String, to bytes: Int, suffix: String) -> String {
        let (whole, ending) = parts(name)
        var stem = whole.unicodeScalars
        var count = whole.utf8.count + suffix.utf8.count + ending.utf8.count
        guard count > bytes else { return whole + suffix + ending }
        while count > bytes, let last = stem.popLast() { count -= UTF8.width(last) }
        while let last = stem.last, last == "." || last == " " { stem.removeLast() }
        return (stem.isEmpty ? "unnamed" : String(stem)) + suffix + ending
    }
}
