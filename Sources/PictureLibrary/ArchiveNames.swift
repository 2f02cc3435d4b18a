import Primitives

/// The names of files in one archive: unique, and safe to unpack on any system.
///
/// The rules are Immich's. Characters that some system forbids are removed, an empty name becomes `unnamed`, and the
/// second file of a name becomes `name+1.ext`. In addition, names that differ only in case count as equal, because some
/// file systems do not distinguish them.
struct ArchiveNames {
    private var taken: Set<String> = []
    /// The last number that was added to each name, so that a thousand equal names do not need a million attempts.
    private var lastNumbers: [String: Int] = [:]

    /// The maximum length of a name in bytes, which is the limit of most file systems.
    private static let longest = 255

    /// Returns the name under which a file is stored.
    mutating func add(_ wanted: String) -> String {
        let name = Self.sanitized(wanted)
        var candidate = name
        var number = lastNumbers[name.lowercased()] ?? 0
        while !taken.insert(candidate.lowercased()).inserted {
            number += 1
            candidate = Self.numbered(name, number)
        }
        lastNumbers[name.lowercased()] = number
        return candidate
    }

    /// Returns a name without separators, control characters and characters that Windows forbids. A name that is a
    /// folder's or a device's becomes `unnamed`; a long name is shortened.
    static func sanitized(_ wanted: String) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.append(
            contentsOf: wanted.unicodeScalars.filter { scalar in
                !"/\\?<>:*|\"".unicodeScalars.contains(scalar) && scalar.value >= 0x20
                    && !(0x7F...0x9F).contains(scalar.value) && !isFormat(scalar)
            })
        var name = shortened(String(scalars), to: longest)
        while let last = name.last, last == "." || last == " " { name.removeLast() }
        let isDevice = devices.contains((name.split(atByte: ".").first ?? "").lowercased())
        return name.isEmpty || isDevice ? "unnamed" : name
    }

    /// Whether a character changes the direction of text. Such characters can disguise the ending of a name.
    private static func isFormat(_ scalar: Unicode.Scalar) -> Bool {
        (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
            || scalar.value == 0x200E || scalar.value == 0x200F
    }

    private static let devices: Set<String> = Set(
        ["con", "prn", "aux", "nul"] + (0...9).flatMap { ["com\($0)", "lpt\($0)"] })

    private static func numbered(_ name: String, _ number: Int) -> String {
        let dot = name.dropFirst().utf8.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
        let ending = "+\(number)\(name[dot...])"
        guard ending.utf8.count < longest / 2 else { return shortened(name, to: longest - 12) + "+\(number)" }
        return shortened(String(name[..<dot]), to: longest - ending.utf8.count) + ending
    }

    /// Returns as many whole characters as fit into `count` bytes.
    private static func shortened(_ text: String, to count: Int) -> String {
        guard text.utf8.count > count else { return text }
        var used = 0
        let end = text.firstIndex { character in
            used += character.utf8.count
            return used > count
        }
        return String(text[..<(end ?? text.endIndex)])
    }
}
