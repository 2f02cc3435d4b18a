/// An album of a picture library as the server lists it.
public struct LibraryAlbum: Sendable, Hashable, Identifiable {
    /// The id of the album on the server.
    public let id: String
    /// The name as its owner wrote it, of any length and with any characters. It may be empty.
    public let name: String
    /// The number of pictures and videos. Nil when the server does not tell.
    public let count: Int?
    /// The id of the picture that stands for the album. Nil when there is none.
    public let cover: PictureID?

    /// Creates an album.
    package init(id: String, name: String, count: Int?, cover: PictureID?) {
        self.id = id
        self.name = name
        self.count = count
        self.cover = cover
    }
}
