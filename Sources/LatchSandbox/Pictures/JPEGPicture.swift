/// Writes photographs as baseline JPEG with Exif metadata.
///
/// No transform is needed: a linear gradient in a block is its mean and one coefficient per direction.
///
/// Source: ITU-T T.81 §B.2 and Annex F.1.2.
struct JPEGPicture {
    let width: Int
    let height: Int
    let scene: Scene
    let exif: [UInt8]
    /// Whether each block has grain, which makes the file large.
    var isGrainy = false

    /// The quantization step of all coefficients.
    private static let step = 4
    /// The first coefficient of a gradient of one step per pixel: Σ (x − 3.5)·cos((2x + 1)π/16)·√8·½.
    private static let rampCoefficient = -18.22
    /// The AC symbols, each coded in 8 bits: end of block, sixteen zeros, and each combination of run and size.
    private static let acSymbols = [0x00, 0xF0] + (0..<16).flatMap { run in (1...10).map { run << 4 | $0 } }
    private static let acCodes: [Int] = {
        var codes = [Int](repeating: 0, count: 256)
        for (code, symbol) in acSymbols.enumerated() { codes[symbol] = code }
        return codes
    }()

    /// Returns the contents of the file.
    func bytes() -> [UInt8] {
        var file: [UInt8] = [0xFF, 0xD8]
        Self.segment(0xE1, Array("Exif\0\0".utf8) + exif, to: &file)
        Self.segment(0xDB, [0] + [UInt8](repeating: UInt8(Self.step), count: 64), to: &file)
        Self.segment(0xC0, frame, to: &file)
        Self.segment(0xC4, [0x00, 0, 0, 0, 12] + [UInt8](repeating: 0, count: 12) + (0..<12), to: &file)
        Self.segment(
            0xC4,
            [0x10] + [0, 0, 0, 0, 0, 0, 0, UInt8(Self.acSymbols.count)] + [UInt8](repeating: 0, count: 8)
                + Self.acSymbols.map { UInt8($0) }, to: &file)
        var interval: [UInt8] = []
        interval.append(columns, bytes: 2)
        Self.segment(0xDD, interval, to: &file)
        Self.segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0], to: &file)
        appendRows(to: &file)
        return file + [0xFF, 0xD9]
    }

    private var columns: Int { (width + 7) / 8 }
    private var rows: Int { (height + 7) / 8 }

    private var frame: [UInt8] {
        var frame: [UInt8] = [8]
        frame.append(height, bytes: 2)
        frame.append(width, bytes: 2)
        return frame + [3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]
    }

    /// Appends the rows of blocks. Each row restarts the coding, so that a few rows of grain, which are expensive, can
    /// be reused.
    private func appendRows(to file: inout [UInt8]) {
        let grainy = isGrainy ? (0..<4).map { row($0 * rows / 4, seed: UInt64($0) + 1) } : []
        for index in 0..<rows {
            if index > 0 { file += [0xFF, 0xD0 + UInt8((index - 1) % 8)] }
            file += isGrainy ? grainy[index * 4 / rows] : row(index, seed: 0)
        }
    }

    private func row(_ index: Int, seed: UInt64) -> [UInt8] {
        var bits = BitWriter(stuffing: true)
        var last = [0, 0, 0]
        var grain = Grain(state: seed)
        for column in 0..<columns {
            let colours = colours(column, index)
            for (component, part) in [\Scene.Colour.brightness, \.blue, \.red].enumerated() {
                let (mean, across, down) = Self.block(colours, part)
                // In zigzag order the first two coefficients after the mean are the gradients. Without grain the others
                // are 0.
                var coefficients = [across, down]
                if seed > 0 { for _ in 3..<64 { coefficients.append(grain.next()) } }
                Self.writeMean(mean - last[component], to: &bits)
                Self.writeRest(coefficients, to: &bits)
                last[component] = mean
            }
        }
        bits.align(with: 1)
        return bits.bytes
    }

    /// Returns the colours of a block: in the centre, right, left, below and above.
    private func colours(_ column: Int, _ row: Int) -> [Scene.Colour] {
        let (x, y) = (column * 8 + 4, row * 8 + 4)
        return [(x, y), (x + 4, y), (x - 4, y), (x, y + 4), (x, y - 4)].map {
            scene.colour(Double($0) / Double(width), Double($1) / Double(height))
        }
    }

    private static func block(
        _ colours: [Scene.Colour], _ part: KeyPath<Scene.Colour, Double>
    ) -> (mean: Int, across: Int, down: Int) {
        let values = colours.map { $0[keyPath: part] }
        func ramp(_ slope: Double) -> Int { Int((slope / 8 * rampCoefficient / Double(step)).rounded()) }
        let mean = Int(((values[0] - 128) * 8 / Double(step)).rounded())
        return (mean, ramp(values[1] - values[2]), ramp(values[3] - values[4]))
    }

    private static func writeMean(_ difference: Int, to bits: inout BitWriter) {
        let size = width(of: difference)
        bits.write(size, 4)
        bits.write(difference < 0 ? difference - 1 : difference, size)
    }

    /// Writes the coefficients after the mean. Coefficients after the last one are 0.
    private static func writeRest(_ coefficients: [Int], to bits: inout BitWriter) {
        var run = 0
        for value in coefficients {
            guard value != 0 else {
                run += 1
                continue
            }
            while run > 15 {
                bits.write(acCodes[0xF0], 8)
                run -= 16
            }
            let size = width(of: value)
            bits.write(acCodes[run << 4 | size], 8)
            bits.write(value < 0 ? value - 1 : value, size)
            run = 0
        }
        if run > 0 || coefficients.count < 63 { bits.write(acCodes[0x00], 8) }
    }

    private static func width(of value: Int) -> Int {
        Int.bitWidth - abs(value).leadingZeroBitCount
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8], to file: inout [UInt8]) {
        file += [0xFF, marker]
        file.append(content.count + 2, bytes: 2)
        file += content
    }
}

/// A pseudo-random sequence of small numbers, the same for each seed.
private struct Grain {
    var state: UInt64

    mutating func next() -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 60) - 8
    }
}
