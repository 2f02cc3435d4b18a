import FoundationEssentials
import Wire

/// What is known of many films, in little room: half of a telephone's photographs have one.
struct KnownFilms {
    private struct Facts {
        var size: Int64
        var digest: (UInt64, UInt64, UInt32)
        var isDigestAdvice: Bool
        var ending: UInt8
    }

    private var films: [UUID: Facts] = [:]
    /// The endings that were seen: few.
    private var endings: [String] = []

    mutating func add(_ asset: JSONValue, _ reading: ImmichAssetReading) {
        guard let id = ImmichAssetReading.id(asset).flatMap({ UUID(uuidString: $0) }) else { return }
        let facts = reading.facts(asset)
        if !endings.contains(facts.ending), endings.count < 255 { endings.append(facts.ending) }
        films[id] = Facts(
            size: Int64(facts.size ?? -1), digest: Self.pack(facts.sha1 ?? []), isDigestAdvice: facts.isDigestAdvice,
            ending: UInt8(endings.firstIndex(of: facts.ending) ?? 0))
    }

    /// What is known of the film that moves with a picture.
    func facts(of asset: JSONValue) -> FilmFacts? {
        guard let film = ImmichAssetReading.film(of: asset).flatMap({ UUID(uuidString: $0) }), let facts = films[film]
        else { return nil }
        let digest = Self.bytes(facts.digest.0) + Self.bytes(facts.digest.1) + Self.bytes(facts.digest.2)
        return FilmFacts(
            size: facts.size < 0 ? nil : Int(facts.size), sha1: digest.allSatisfy { $0 == 0 } ? nil : digest,
            isDigestAdvice: facts.isDigestAdvice, ending: endings[Int(facts.ending)])
    }

    private static func pack(_ digest: [UInt8]) -> (UInt64, UInt64, UInt32) {
        guard digest.count == 20 else { return (0, 0, 0) }
        func number(_ range: Range<Int>) -> UInt64 { digest[range].reduce(0) { $0 << 8 | UInt64($1) } }
        return (number(0..<8), number(8..<16), UInt32(number(16..<20)))
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (1...Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (Number.bitWidth - 8 * $0)) }
    }
}
