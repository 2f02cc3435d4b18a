/// The cost parameters of Argon2id. Higher values make guessing more expensive and sign-in slower.
///
/// Source: RFC 9106 §3.1 and §4.
package struct Argon2idParameters: Sendable, Equatable {
    /// The memory in KiB, the `m` of a stored hash.
    package let memoryKiB: Int
    /// The number of passes over that memory, the `t` of a stored hash.
    package let iterations: Int

    /// 64 MiB and 2 passes, libsodium's choice for interactive use.
    ///
    /// Source: `crypto_pwhash_argon2id_MEMLIMIT_INTERACTIVE`, `crypto_pwhash_argon2id_OPSLIMIT_INTERACTIVE`.
    package static let `default` = Argon2idParameters(unchecked: 65536, 2)

    /// 256 MiB and 4 passes, for PINs, which have few possible values. A derivation takes about half a second on one
    /// core of a server.
    package static let forPINs = Argon2idParameters(unchecked: 262_144, 4)

    /// The maximum memory in KiB that a stored hash may require: 2 GiB.
    ///
    /// Source: RFC 9106 §4, first recommendation.
    package static let maximumMemoryKiB = 2_097_152

    /// The maximum number of passes that a stored hash may require.
    package static let maximumIterations = 100

    /// Whether a stored hash may require this work: at most ``maximumMemoryKiB`` and ``maximumIterations``.
    package var isWithinLimits: Bool {
        memoryKiB <= Self.maximumMemoryKiB && iterations <= Self.maximumIterations
    }

    private init(unchecked memoryKiB: Int, _ iterations: Int) {
        self.memoryKiB = memoryKiB
        self.iterations = iterations
    }

    /// Creates parameters and validates them.
    ///
    /// - Parameters:
    ///   - memoryKiB: 8 KiB to 4 TiB minus 1 KiB.
    ///   - iterations: 1 to 2^32 - 1.
    /// - Throws: ``CryptoError`` with code ``CryptoError/Code/invalidParameters``.
    ///
    /// Source: `crypto_pwhash_argon2id_MEMLIMIT_MIN` and related constants.
    package init(memoryKiB: Int, iterations: Int) throws(CryptoError) {
        guard (8...4_294_967_295).contains(memoryKiB) else {
            throw CryptoError(.invalidParameters, "Could not use Argon2id with \(memoryKiB) KiB: use 8 KiB or more.")
        }
        guard (1...4_294_967_295).contains(iterations) else {
            throw CryptoError(.invalidParameters, "Could not use Argon2id with \(iterations) passes: use 1 or more.")
        }
        self.init(unchecked: memoryKiB, iterations)
    }
}
