/// The content of a generated picture: a colour for each point that changes slowly across the picture.
struct Scene: Sendable {
    /// A colour as brightness and two colour differences, each 0 to 255.
    struct Colour: Sendable {
        var brightness: Double
        var blue: Double
        var red: Double

        static func + (one: Colour, other: Colour) -> Colour {
            Colour(
                brightness: one.brightness + other.brightness, blue: one.blue + other.blue, red: one.red + other.red)
        }

        static func * (colour: Colour, factor: Double) -> Colour {
            Colour(brightness: colour.brightness * factor, blue: colour.blue * factor, red: colour.red * factor)
        }

        /// The red, green and blue values, each 0 to 255.
        ///
        /// Source: JFIF 1.02, conversion to and from RGB.
        var rgb: [UInt8] {
            let (b, r) = (blue - 128, red - 128)
            return [brightness + 1.402 * r, brightness - 0.344 * b - 0.714 * r, brightness + 1.772 * b].map {
                UInt8(min(max($0, 0), 255))
            }
        }
    }

    /// The colour of the upper part.
    var sky: Colour
    /// The colour of the lower part.
    var ground: Colour
    /// The horizontal position of the sun, 0 to 1 from left to right.
    var sun: Double

    static let evening = Scene(
        sky: Colour(brightness: 150, blue: 100, red: 175), ground: Colour(brightness: 50, blue: 150, red: 120), sun: 0.7
    )
    static let roofs = Scene(
        sky: Colour(brightness: 190, blue: 150, red: 115), ground: Colour(brightness: 90, blue: 105, red: 160), sun: 0.2
    )
    static let garden = Scene(
        sky: Colour(brightness: 200, blue: 140, red: 120), ground: Colour(brightness: 90, blue: 95, red: 105), sun: 0.5)
    static let water = Scene(
        sky: Colour(brightness: 180, blue: 145, red: 110), ground: Colour(brightness: 70, blue: 165, red: 95), sun: 0.4)

    /// Returns the colour of a point with coordinates from 0 to 1.
    func colour(_ x: Double, _ y: Double) -> Colour {
        let land = min(max((y - 0.45) * 5, 0), 1)
        let (toSun, height) = (x - sun, y - 0.35)
        let glow = max(0, 1 - 9 * (toSun * toSun + height * height))
        var colour = sky * (1 - land) + ground * land
        colour.brightness = min(max(colour.brightness + 70 * glow * (1 - land), 16), 235)
        return colour
    }
}
