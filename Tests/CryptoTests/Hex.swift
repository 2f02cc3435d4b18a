/// Reads hexadecimal digits, as the papers print their vectors.
func bytes(hex: String) -> [UInt8] {
    var digits = hex.filter(\.isHexDigit)[...]
    var bytes: [UInt8] = []
    while !digits.isEmpty {
        bytes.append(UInt8(digits.prefix(2), radix: 16)!)
        digits = digits.dropFirst(2)
    }
    return bytes
}
