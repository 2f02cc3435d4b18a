/// Names of files in one archive: safe to unpack anywhere, and each there once.
///
/// Immich's rule: characters that some system forbids are left out, an empty name becomes `unnamed`, and the second of a
/// name is `name+1.ext`. Here names that differ in case only count as one too: not every disk tells them apart.
struct ArchiveNames {
    private var taken: Set<String> = []
    /// The number of a name's last double, so that a thousand of them take no million tries.
    private var lastNumbers: [String: Int] = [:]

    /// Most file systems' limit.
    private static let longest = 255

    /// The name under which a file is stored.
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

    /// A name without separators, control characters and what Windows forbids, that is no folder's and not too long.
    static func sanitized(_ wanted: String) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.append(
            contentsOf: wanted.unicodeScalars.filter { scalar in
                !"/\\?<>:*|\"".unicodeScalars.contains(scalar) && scalar.value >= 0x20
                    && !(0x7F...0x9F).contains(scalar.value) && !isFormat(scalar)
            })
        var name = shortened(String(scalars), to: longest)
        while let last = name.last, last == "." || last == " " { name.removeLast() }
        let isDevice = devices.contains((name.split(separator: ".").first ?? "").lowercased())
        return name.isEmpty || isDevice ? "unnamed" : name
    }

    /// Characters that turn the direction of text around, and so show another ending than there is.
    private static func isFormat(_ scalar: Unicode.Scalar) -> Bool {
        (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
            || scalar.value == 0x200E || scalar.value == 0x200F
    }

    private static let devices: Set<String> = Set(
        ["con", "prn", "aux", "nul"] + (0...9).flatMap { ["com\($0)", "lpt\($0)"] })

    private static func numbered(_ name: String, _ number: Int) -> String {
        let dot = name.dropFirst().lastIndex(of: ".") ?? name.endIndex
        let ending = "+\(number)\(name[dot...])"
        guard ending.utf8.count < longest / 2 else { return shortened(name, to: longest - 12) + "+\(number)" }
        return shortened(String(name[..<dot]), to: longest - ending.utf8.count) + ending
    }

    /// As many whole characters as fit into `count` bytes.
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
