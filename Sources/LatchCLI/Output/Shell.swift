import Primitives

extension String {
    /// The text as one word of a POSIX shell, for a command that a person may copy.
    var forShell: String {
        let plain =
            !isEmpty
            && unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                        || "-_./:@%+=,[]".unicodeScalars.contains(scalar))
            }
        // Most shells treat brackets as patterns, so an address with brackets must be quoted.
        guard !plain || utf8.contains(UInt8(ascii: "[")) else { return self }
        return "'" + replacingBytes(of: "'", with: "'\\''") + "'"
    }
}
