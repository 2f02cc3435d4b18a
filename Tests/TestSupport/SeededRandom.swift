import Foundation

/// A random number generator with reproducible results, so that failures can be repeated.
///
/// The seed is random unless the environment variable `LATCHSTRING_SEED` is set. Tests print it.
///
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators" (SplitMix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    /// The seed of the sequence.
    public let seed: UInt64
    private var state: UInt64

    /// Creates a generator with the sequence for `seed`.
    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// Creates a generator with the seed from the environment, or a random one, and prints the seed.
    public init(for name: String) {
        let given = ProcessInfo.processInfo.environment["LATCHSTRING_SEED"].flatMap { UInt64($0) }
        self.init(seed: given ?? UInt64.random(in: 0...999_999_999))
        print("\(name): LATCHSTRING_SEED=\(seed)")
    }

    /// Returns the next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a generator with a separate sequence, for use in parallel to this one.
    public mutating func split() -> SeededRandom {
        SeededRandom(seed: next())
    }

    /// Returns true with a probability of `percent` percent.
    public mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }
}
