/// The pictures of a short film as H.264, each stored without compression, which every player understands.
///
/// Source: ITU-T H.264 §7.3.2.1 (sequence), §7.3.2.2 (picture), §7.3.3 (slice), §7.3.5 (I_PCM).
struct Film {
    /// A multiple of 16.
    let width: Int
    /// A multiple of 16.
    let height: Int
    let scene: Scene
    /// How many pictures, of which ``rate`` are shown a second.
    let count: Int

    static let rate = 10

    /// What is said once of all pictures.
    var sequence: [UInt8] {
        var bits = BitWriter()
        bits.append([0x67, 66, 0xC0, 10])
        for value in [0, 0, 2, 1] { bits.write(unsigned: value) }
        bits.write(0, 1)
        bits.write(unsigned: width / 16 - 1)
        bits.write(unsigned: height / 16 - 1)
        // Whole frames, no cropping, nothing further.
        bits.write(0b1100, 4)
        return Self.ended(bits)
    }

    /// What is said once of how pictures are coded.
    var picture: [UInt8] {
        var bits = BitWriter()
        bits.append([0x68])
        for value in [0, 0] { bits.write(unsigned: value) }
        bits.write(0, 2)
        for value in [0, 0, 0] { bits.write(unsigned: value) }
        bits.write(0, 3)
        for value in [0, 0, 0] { bits.write(unsigned: value) }
        // Each slice says that its edges are left alone.
        bits.write(0b100, 3)
        return Self.ended(bits)
    }

    /// The picture of this number.
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

    /// No sample is 0, so nothing in it looks like the start of something else.
    private func samples(_ scene: Scene, _ left: Int, _ top: Int) -> [UInt8] {
        func at(_ x: Int, _ y: Int) -> Scene.Colour {
            scene.colour(Double(left + x) / Double(width), Double(top + y) / Double(height))
        }
        // One colour for four points by four: the film is small and made each time anew.
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
