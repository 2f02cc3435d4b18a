/// The frames of a short film in H.264, stored without compression, which every player supports.
///
/// Source: ITU-T H.264 §7.3.2.1 (sequence), §7.3.2.2 (picture), §7.3.3 (slice), §7.3.5 (I_PCM).
struct Film {
    /// The width in pixels, a multiple of 16.
    let width: Int
    /// The height in pixels, a multiple of 16.
    let height: Int
    let scene: Scene
    /// The number of frames, shown at ``rate`` frames per second.
    let count: Int

    static let rate = 10

    /// The sequence parameter set.
    var sequence: [UInt8] {
        var bits = BitWriter()
        bits.append([0x67, 66, 0xC0, 10])
        for value in [0, 0, 2, 1] { bits.write(unsigned: value) }
        bits.write(0, 1)
        bits.write(unsigned: width / 16 - 1)
        bits.write(unsigned: height / 16 - 1)
        // Frames only, no cropping, no further parameters.
        bits.write(0b1100, 4)
        return Self.ended(bits)
    }

    /// The picture parameter set.
    var picture: [UInt8] {
        var bits = BitWriter()
        bits.append([0x68])
        for value in [0, 0] { bits.write(unsigned: value) }
        bits.write(0, 2)
        for value in [0, 0, 0] { bits.write(unsigned: value) }
        bits.write(0, 3)
        for value in [0, 0, 0] { bits.write(unsigned: value) }
        // Each slice disables the deblocking filter itself.
        bits.write(0b100, 3)
        return Self.ended(bits)
    }

    /// Returns the frame with a number.
    func frame(_ number: Int) -> [UInt8] {
        var bits = BitWriter()
        bits.append([0x65])
        for value in [0, 7, 0] { bits.write(unsigned: value) }
        bits.write(0, 4)
        bits.write(unsigned: number % 2)
        bits.write(0, 2)
        for value in [0, 1] { bits.write(unsigned: value) }
        var scene = scene
        scene.sun = (scene.sun + Double(number) / Double(max(1, count))).truncatingRemainder(dividingBy: 1)
        for row in 0..<height / 16 {
            for column in 0..<width / 16 {
                bits.write(unsigned: 25)
                bits.align(with: 0)
                bits.append(samples(scene, column * 16, row * 16))
            }
        }
        return Self.ended(bits)
    }

    /// Returns the samples of a macroblock. No sample is 0, so the data cannot contain a start code.
    private func samples(_ scene: Scene, _ left: Int, _ top: Int) -> [UInt8] {
        func at(_ x: Int, _ y: Int) -> Scene.Colour {
            scene.colour(Double(left + x) / Double(width), Double(top + y) / Double(height))
        }
        // One colour per 4×4 pixels, because the film is small and generated for each process.
        let patches = (0..<16).map { at($0 % 4 * 4, $0 / 4 * 4) }
        let brightness = (0..<256).map { UInt8(patches[$0 / 64 * 4 + $0 % 16 / 4].brightness) }
        let blue = (0..<64).map { UInt8(patches[$0 / 16 * 4 + $0 % 8 / 2].blue) }
        let red = (0..<64).map { UInt8(patches[$0 / 16 * 4 + $0 % 8 / 2].red) }
        return brightness + blue + red
    }

    private static func ended(_ bits: BitWriter) -> [UInt8] {
        var bits = bits
        bits.write(1, 1)
        bits.align(with: 0)
        return bits.bytes
    }
}
