import HTTPMessages

/// The features of an Immich release that matter for choosing files.
///
/// Source: docs/protocols/immich.md, Lists.
struct ImmichRelease: Sendable, Equatable {
    private let number: (major: Int, minor: Int)

    /// Reads the response to `GET /server/version`. An unreadable response counts as the newest release.
    init(_ response: JSONValue) {
        func part(_ name: String) -> Int? { response[name]?.integer }
        number = (part("major") ?? .max, part("minor") ?? .max)
    }

    /// Whether a search selects timeline, archive and hidden assets with one field. Earlier releases use three.
    var knowsVisibility: Bool { number >= (1, 133) }
    /// Whether a search can filter by album. In earlier releases the album response contains the assets.
    var searchesAlbums: Bool { number >= (2, 0) }

    static func == (one: Self, other: Self) -> Bool { one.number == other.number }
}
