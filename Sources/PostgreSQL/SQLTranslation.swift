/// Translates the parameters of SQL from `?` and `?1` to `$1`.
///
/// The rest is the same in SQLite and PostgreSQL: statements are written in the subset of both. What that subset lacks
/// is in ``CompatibilityFunctions``.
enum SQLTranslation {
    /// Returns the SQL with numbered parameters, and the highest number. A `?` without a number has the number after
    /// the highest one before it.
    ///
    /// Source: SQLite, "SQL Language Expressions" §3, "Parameters".
    static func translate(_ sql: String) -> (sql: String, parameterCount: Int) {
        var output: [UInt8] = []
        var highest = 0
        var quote: UInt8?
        var bytes = Array(sql.utf8)[...]
        while let byte = bytes.popFirst() {
            if let open = quote {
                if byte == open { quote = nil }
                output.append(byte)
            } else if byte == UInt8(ascii: "?") {
                var number = 0
                while let digit = bytes.first, digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") {
                    number = number * 10 + Int(digit - UInt8(ascii: "0"))
                    bytes.removeFirst()
                }
                if number == 0 { number = highest + 1 }
                highest = max(highest, number)
                output += Array("$\(number)".utf8)
            } else {
                if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") { quote = byte }
                output.append(byte)
            }
        }
        return (String(decoding: output, as: UTF8.self), highest)
    }
}
