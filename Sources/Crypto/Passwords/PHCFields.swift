/// The parameters of a stored Argon2id hash. The salt and hash are only checked for their alphabet.
///
/// Source: github.com/P-H-C/phc-string-format; RFC 9106 §3.1 for the minimum values.
struct PHCFields {
    let memoryKiB: Int
    let iterations: Int
    let lanes: Int

    /// Parses `$argon2id$v=19$m=..,t=..,p=..$salt$hash`. Returns nil for anything else and for parameters above the
    /// limits of ``Argon2idParameters/isWithinLimits``.
    init?(_ text: String) {
        guard text.utf8.count <= 1024 else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty, parts[1].elementsEqual("argon2id".utf8),
            parts[2].elementsEqual("v=19".utf8), Self.isBase64(parts[4]), Self.isBase64(parts[5])
        else { return nil }

        let numbers = parts[3].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard numbers.count == 3, let memoryKiB = Self.number(numbers[0], "m="),
            let iterations = Self.number(numbers[1], "t="), let lanes = Self.number(numbers[2], "p=")
        else { return nil }
        // The limits keep a stored hash from requesting all memory of the machine, or hours of computation.
        guard let parameters = try? Argon2idParameters(memoryKiB: memoryKiB, iterations: iterations),
            parameters.isWithinLimits
        else { return nil }

        self.memoryKiB = memoryKiB
        self.iterations = iterations
        self.lanes = lanes
    }

    /// Parses `name` and a decimal 32-bit number above zero without leading zeros.
    private static func number(_ part: Substring.UTF8View, _ name: String) -> Int? {
        let digits = part.dropFirst(2)
        guard part.starts(with: name.utf8), (1...10).contains(digits.count), digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = UInt32(Substring(digits))
        else { return nil }
        return Int(number)
    }

    private static func isBase64(_ part: Substring.UTF8View) -> Bool {
        !part.isEmpty
            && part.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                    true
                default: false
                }
            }
    }
}
