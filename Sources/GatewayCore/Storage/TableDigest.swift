import Crypto
package import Database

/// The number of rows of a table, and a digest that does not depend on their order.
///
/// Two tables with the same digest have the same rows: it is the sum of the SHA-256 of all rows, in four words of 64
/// bits. It protects against lost and changed rows, and not against an attacker who chooses rows.
package struct TableDigest: Hashable, Sendable {
    /// The number of rows.
    package private(set) var count = 0
    private var sums: [UInt64] = [0, 0, 0, 0]

    /// Creates the digest of an empty table.
    package init() {}

    /// Adds a row. A truth value counts as 1 or 0, because SQLite stores it so.
    package mutating func add(_ row: [SQLValue]) {
        count += 1
        let digest = SHA256.digest(Self.encoded(row)).bytes
        for word in 0..<4 {
            let value = digest[(word * 8)..<(word * 8 + 8)].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            sums[word] &+= value
        }
    }

    /// Encodes each value as its type, the number of its bytes and its bytes.
    private static func encoded(_ row: [SQLValue]) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in row {
            let (type, content): (Character, [UInt8]) =
                switch value.converted(to: .integer) {
                case .null: ("n", [])
                case .boolean(let flag): ("i", [flag ? 1 : 0])
                case .integer(let number): ("i", Array("\(number)".utf8))
                case .real(let number): ("r", Array("\(number.bitPattern)".utf8))
                case .text(let text): ("t", Array(text.utf8))
                case .blob(let blob): ("b", blob)
                }
            bytes += Array("\(type)\(content.count):".utf8) + content
        }
        return bytes
    }
}
