import Database
package import FoundationEssentials

/// The id of a picture or video on its server. It takes 16 bytes.
public struct PictureID: Sendable, Hashable, Codable {
    /// The id as a UUID.
    package let uuid: UUID

    /// Creates an id.
    package init(_ uuid: UUID) { self.uuid = uuid }

    /// Reads an id. Nil for a text that is not a UUID, and so is not safe to put into a path.
    init?(text: String?) {
        guard let uuid = text.flatMap({ UUID(text: $0) }) else { return nil }
        self.uuid = uuid
    }

    /// The id as servers write it, in lower case.
    public var text: String { uuid.uuidString.lowercased() }
}
