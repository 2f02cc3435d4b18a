import Wire

/// What a release of Immich knows, as far as choosing asks.
///
/// Source: contract of Immich, endpoints and the table of what changed.
struct ImmichRelease: Sendable, Equatable {
    private let number: (major: Int, minor: Int)

    /// Reads `GET /server/version`; what cannot be read is the newest.
    init(_ answer: JSONValue) {
        func part(_ name: String) -> Int? { answer[name]?.integer }
        number = (part("major") ?? .max, part("minor") ?? .max)
    }

    /// Whether a search tells the timeline, what was put away and what is hidden by one word; before, by three.
    var knowsVisibility: Bool { number >= (1, 133) }
    /// Whether a search finds what is in an album; before, the album itself has it.
    var searchesAlbums: Bool { number >= (2, 0) }

    static func == (one: Self, other: Self) -> Bool { one.number == other.number }
}
