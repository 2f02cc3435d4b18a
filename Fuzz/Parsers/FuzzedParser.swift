/// A parser of bytes from outside, and what must hold of it for any bytes.
struct FuzzedParser: Sendable {
    /// The name of its folder in the corpus and of its dictionary, and what `make fuzz FUZZ=` takes.
    let name: String
    /// Gives the bytes to the parser; throws ``BrokenProperty`` where something does not hold that must.
    let check: @Sendable (_ input: [UInt8]) async throws -> Void

    init(_ name: String, check: @escaping @Sendable ([UInt8]) async throws -> Void) {
        self.name = name
        self.check = check
    }

    /// Every parser that is fuzzed; one that is new has its line here.
    static let all: [FuzzedParser] =
        bridge + addresses + networkAddresses + oauth + forms + requests + routes + onyx + configuration + storage
        + rows + passwords + certificates + printing + identity + desktop + files + immich + media + access
        + timeTracker + timeTrackerClient + immichClient + pages + relateMail + relateMailClient + client + downloads
        + realTime + oauthClient + authorizationServer

    static func named(_ name: String) -> FuzzedParser? {
        all.first { $0.name == name }
    }
}

/// What did not hold, in one sentence.
struct BrokenProperty: Error, CustomStringConvertible {
    let description: String
}

/// Throws ``BrokenProperty`` with `sentence` unless `holds`.
func require(_ holds: Bool, _ sentence: @autoclosure () -> String) throws(BrokenProperty) {
    guard holds else { throw BrokenProperty(description: sentence()) }
}

extension [UInt8] {
    /// The bytes as UTF-8 text, with replacement characters where they are none.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// The pieces between line feeds, at most `count`; the last one holds the rest.
    func lines(_ count: Int) -> [[UInt8]] {
        split(separator: 10, maxSplits: count - 1, omittingEmptySubsequences: false).map(Array.init)
    }
}

extension ArraySlice<UInt8> {
    /// Takes the bytes before the first line feed, and that with them, as text; all that is left when there is none.
    mutating func takeLine() -> String {
        let end = firstIndex(of: 10) ?? endIndex
        defer { self = self[Swift.min(end + 1, endIndex)...] }
        return String(decoding: self[..<end], as: UTF8.self)
    }
}
