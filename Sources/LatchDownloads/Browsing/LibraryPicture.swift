public import FoundationEssentials

/// A picture or video of a library, as far as a grid of pictures shows it.
public struct LibraryPicture: Sendable, Hashable, Identifiable {
    /// The id on the server.
    public let id: PictureID
    /// When it was taken.
    public let taken: Date
    /// Whether it is a video.
    public let isVideo: Bool
    /// Whether it is a live photo.
    public let isLive: Bool

    /// Creates a picture.
    package init(id: PictureID, taken: Date, isVideo: Bool, isLive: Bool) {
        self.id = id
        self.taken = taken
        self.isVideo = isVideo
        self.isLive = isLive
    }
}

/// The pictures of a month in little memory: 25 bytes for each.
struct PackedPictures: Sendable {
    private var ids: [PictureID] = []
    private var times: [Double] = []
    private var kinds: [UInt8] = []

    private static let (video, live): (UInt8, UInt8) = (1, 2)

    init(_ pictures: some Collection<LibraryPicture>) {
        ids.reserveCapacity(pictures.count)
        times.reserveCapacity(pictures.count)
        kinds.reserveCapacity(pictures.count)
        for picture in pictures {
            ids.append(picture.id)
            times.append(picture.taken.timeIntervalSinceReferenceDate)
            kinds.append((picture.isVideo ? Self.video : 0) | (picture.isLive ? Self.live : 0))
        }
    }

    var count: Int { ids.count }

    /// The memory of the pictures in bytes.
    var bytes: Int {
        ids.capacity * MemoryLayout<PictureID>.stride + times.capacity * MemoryLayout<Double>.stride + kinds.capacity
    }

    subscript(index: Int) -> LibraryPicture {
        LibraryPicture(
            id: ids[index], taken: Date(timeIntervalSinceReferenceDate: times[index]),
            isVideo: kinds[index] & Self.video != 0, isLive: kinds[index] & Self.live != 0)
    }

    /// A hash by which two lists with other pictures, or in another order, are distinguished in this process.
    var signature: Int { ids.hashValue }
}
