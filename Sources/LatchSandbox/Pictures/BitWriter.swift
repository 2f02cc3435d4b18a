/// Writes bits into bytes, most significant bit first.
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    /// The pending bits. Those that do not fill a byte yet are the lowest ones. Higher bits have already been written.
    private var current: UInt64 = 0
    private var filled = 0
    /// Whether a zero byte is inserted after each byte 0xFF, as in JPEG picture data.
    private let stuffs: Bool

    init(stuffing stuffs: Bool = false) {
        self.stuffs = stuffs
    }

    /// Writes the lowest `count` bits of `value`, at most 56.
    mutating func write(_ value: Int, _ count: Int) {
        current = current << UInt64(count) | UInt64(bitPattern: Int64(value)) & (1 << UInt64(count) - 1)
        filled += count
        while filled >= 8 {
            filled -= 8
            let byte = UInt8(truncatingIfNeeded: current >> UInt64(filled))
            bytes.append(byte)
            if stuffs, byte == 0xFF { bytes.append(0) }
        }
    }

    /// Writes an unsigned integer in the Exp-Golomb code of H.264.
    ///
    /// Source: ITU-T H.264 §9.1: ue(v).
    mutating func write(unsigned value: Int) {
        let width = Int.bitWidth - (value + 1).leadingZeroBitCount
        write(0, width - 1)
        write(value + 1, width)
    }

    /// Fills the current byte with `bit`.
    mutating func align(with bit: Int) {
        while filled > 0 { write(bit, 1) }
    }

    /// Appends whole bytes. The writer must be at a byte boundary.
    mutating func append(_ more: [UInt8]) {
        bytes += more
    }
}

extension [UInt8] {
    /// Appends a number in big-endian order.
    mutating func append(_ value: Int, bytes count: Int) {
        for shift in stride(from: (count - 1) * 8, through: 0, by: -8) { append(UInt8(value >> shift & 0xFF)) }
    }
}
