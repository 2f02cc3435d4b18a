import Foundation

/// Random numbers that are the same for the same seed, so that a failure can be had again.
///
/// The seed is new each time, unless the environment variable `LATCHSTRING_SEED` names one. A test prints it.
///
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators" (SplitMix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    /// What the numbers follow from.
    public let seed: UInt64
    private var state: UInt64

    /// Starts the row of numbers of `seed`.
    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// Starts a row of the seed that the environment names, or else of a new one, and prints which.
    public init(for name: String) {
        let given = ProcessInfo.processInfo.environment["LATCHSTRING_SEED"].flatMap { UInt64($0) }
        self.init(seed: given ?? UInt64.random(in: 0...999_999_999))
        print("\(name): LATCHSTRING_SEED=\(seed)")
    }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Another row of numbers, for somebody who works beside this one.
    public mutating func split() -> SeededRandom {
        SeededRandom(seed: next())
    }

    /// True in so many of a hundred cases.
    public mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }
}
