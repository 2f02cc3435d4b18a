/// Writes bits into bytes, the highest first.
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var current: UInt8 = 0
    private var filled = 0
    /// Whether a byte of ones is followed by one of zeros, as in the picture data of JPEG.
    private let stuffs: Bool

    init(stuffing stuffs: Bool = false) {
        self.stuffs = stuffs
    }

    /// Writes the lowest `count` bits of `value`.
    mutating func write(_ value: Int, _ count: Int) {
        var rest = count
        while rest > 0 {
            rest -= 1
            current = current << 1 | UInt8(value >> rest & 1)
            filled += 1
            if filled == 8 { flush() }
        }
    }

    /// Writes a whole number as H.264 writes those without a sign.
    ///
    /// Source: ITU-T H.264 §9.1: ue(v).
    mutating func write(unsigned value: Int) {
        let width = Int.bitWidth - (value + 1).leadingZeroBitCount
        write(0, width - 1)
        write(value + 1, width)
    }

    /// Fills the byte that was begun with `bit`.
    mutating func align(with bit: Int) {
        while filled > 0 { write(bit, 1) }
    }

    /// Appends whole bytes, at a byte's beginning.
    mutating func append(_ more: [UInt8]) {
        bytes += more
    }

    private mutating func flush() {
        bytes.append(current)
        if stuffs, current == 0xFF { bytes.append(0) }
        (current, filled) = (0, 0)
    }
}

extension [UInt8] {
    /// Appends a number with its highest byte first.
    mutating func append(_ value: Int, bytes count: Int) {
        for shift in stride(from: (count - 1) * 8, through: 0, by: -8) { append(UInt8(value >> shift & 0xFF)) }
    }
}
