import Foundation
import TestSupport

/// Looks for secrets in bytes: whole, or any 18 characters of one in a row, or the first or last 12, in any of the spellings
/// that programs put text into.
struct SecretSearch {
    /// One byte string that would give a secret away.
    struct Needle {
        let secret: String
        let spelling: String
        let bytes: [UInt8]
    }

    /// What was found.
    struct Finding: CustomStringConvertible {
        let secret: String
        let spelling: String
        let place: String

        var description: String { "\(secret) as \(spelling) in \(place)" }
    }

    static let windowLength = Leaks.shortestNeedle
    private static let step = 6
    private let needles: [Needle]

    /// Takes the secrets by their names.
    init(_ secrets: [(name: String, value: String)]) {
        needles = secrets.flatMap { secret in
            let bytes = Array(secret.value.utf8)
            precondition(bytes.count >= Self.windowLength, "\(secret.name) is too short to be told from other text.")
            var seen: Set<[UInt8]> = []
            return Self.windows(bytes).flatMap { SpellingSuggestion.all(of: $0) }.filter {
                seen.insert($0.bytes).inserted
            }.map {
                Needle(secret: secret.name, spelling: $0.name, bytes: $0.bytes)
            }
        }
    }

    /// Pieces of 12 bytes, such that every piece of 18 of the secret has one of them in it.
    private static func windows(_ bytes: [UInt8]) -> [[UInt8]] {
        let last = bytes.count - windowLength
        return (Array(stride(from: 0, to: last, by: step)) + [last]).map { Array(bytes[$0..<$0 + windowLength]) }
    }

    /// Every secret that `bytes` give away, each spelling once.
    func findings(in bytes: [UInt8], place: String) -> [Finding] {
        var seen: Set<String> = []
        return bytes.withUnsafeBytes { hay in
            needles.compactMap { needle in
                guard Bytes.contains(hay, needle.bytes),
                    seen.insert(needle.secret + needle.spelling).inserted
                else { return nil }
                return Finding(secret: needle.secret, spelling: needle.spelling, place: place)
            }
        }
    }

    /// The same for text.
    func findings(in text: String, place: String) -> [Finding] {
        findings(in: Array(text.utf8), place: place)
    }
}

/// The ways to write a piece of text down.
enum SpellingSuggestion {
    static func all(of bytes: [UInt8]) -> [(name: String, bytes: [UInt8])] {
        var all: [(name: String, bytes: [UInt8])] = [
            ("plain text", bytes), ("reversed text", bytes.reversed()),
            ("UTF-16", Array(bytes.flatMap { [$0, 0] }.dropLast())),
            ("UTF-32", Array(bytes.flatMap { [$0, 0, 0, 0] }.dropLast(3))),
        ]
        for (name, digits) in [("", lower), (" in capitals", upper)] {
            func hexadecimal(_ before: String) -> [UInt8] {
                bytes.flatMap { Array(before.utf8) + [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
            }
            all.append(("hexadecimal" + name, hexadecimal("")))
            all.append(("percent escapes" + name, hexadecimal("%")))
            all.append(("JSON escapes" + name, hexadecimal("\\u00")))
        }
        for shift in 0..<3 {
            for (name, alphabet) in [("base64", standard), ("base64url", url)] {
                all.append(("\(name) shifted by \(shift)", base64(bytes, shift, alphabet)))
            }
        }
        for (name, safe) in [("a form", "-_.*"), ("an address", "-_.~")] {
            all.append((name, escaped(bytes, safe: Array(safe.utf8), space: name == "a form" ? "+" : "%20")))
        }
        all.append(("a JSON string", quoted(bytes)))
        return all
    }

    private static let lower = Array("0123456789abcdef".utf8)
    private static let upper = Array("0123456789ABCDEF".utf8)
    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let standard = Array((letters + "+/").utf8)
    private static let url = Array((letters + "-_").utf8)

    /// The characters that depend on these bytes alone, when `shift` others stand before them.
    private static func base64(_ bytes: [UInt8], _ shift: Int, _ alphabet: [UInt8]) -> [UInt8] {
        var bits = [Bool](repeating: false, count: shift * 8)
        for byte in bytes {
            for bit in stride(from: 7, through: 0, by: -1) { bits.append(byte >> UInt8(bit) & 1 == 1) }
        }
        let first = (shift * 8 + 5) / 6
        return (first..<bits.count / 6).map { index in
            alphabet[bits[index * 6..<index * 6 + 6].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }]
        }
    }

    private static func escaped(_ bytes: [UInt8], safe: [UInt8], space: String) -> [UInt8] {
        bytes.flatMap { byte -> [UInt8] in
            let isPlain =
                byte < 128 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
            if isPlain || safe.contains(byte) { return [byte] }
            return byte == UInt8(ascii: " ")
                ? Array(space.utf8) : [UInt8(ascii: "%"), upper[Int(byte >> 4)], upper[Int(byte & 15)]]
        }
    }

    private static func quoted(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") ? [UInt8(ascii: "\\"), $0] : [$0] }
    }
}
