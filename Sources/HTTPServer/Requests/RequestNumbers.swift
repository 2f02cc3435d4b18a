/// A generator of request ids: 15 hexadecimal digits, the most that Swift stores in a string without allocating.
///
/// The ids are unlikely to repeat and are not secret. Each loop has its own sequence with a random seed.
///
/// Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (SplitMix64).
struct RequestNumbers {
    private var state = UInt64.random(in: .min ... .max)

    mutating func next() -> String {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        value ^= value >> 31
        return String(unsafeUninitializedCapacity: 15) { digits in
            for index in 0..<15 {
                let digit = UInt8(truncatingIfNeeded: value >> UInt64(index * 4)) & 15
                digits[index] = digit < 10 ? digit + 48 : digit + 87
            }
            return 15
        }
    }
}
