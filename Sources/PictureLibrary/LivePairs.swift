import FoundationEssentials
import Primitives

/// Finds the photograph and the video of live photographs. A phone writes both with the same name before the ending.
enum LivePairs {
    /// The role of a file in a pair.
    struct Role: Equatable {
        var motion: UUID?
        var isMotion = false
    }

    /// The maximum duration of a motion video. A longer video is independent, even if a photograph has the same name.
    static let longestMilliseconds = 15_000

    private static let photoExtensions = ["heic", "heif", "jpg", "jpeg", "png"]
    private static let videoExtensions = ["mov", "mp4"]

    /// Returns the roles of the files of one folder. Files that are not in a pair have none.
    ///
    /// If several files match, the first existing ending is used: HEIC, HEIF, JPG, JPEG, PNG for the photograph, and
    /// MOV, MP4 for the video.
    static func roles(_ files: [KnownFile]) -> [UUID: Role] {
        var photos: [String: (rank: Int, id: UUID)] = [:]
        var videos: [String: (rank: Int, id: UUID)] = [:]
        for file in files {
            let (stem, ending) = parts(file.name)
            if let rank = photoExtensions.firstIndex(of: ending) {
                if rank < photos[stem]?.rank ?? .max { photos[stem] = (rank, file.id) }
            } else if let rank = videoExtensions.firstIndex(of: ending), file.duration ?? 0 <= longestMilliseconds {
                if rank < videos[stem]?.rank ?? .max { videos[stem] = (rank, file.id) }
            }
        }
        var roles: [UUID: Role] = [:]
        for (stem, video) in videos {
            guard let photo = photos[stem] else { continue }
            roles[photo.id] = Role(motion: video.id)
            roles[video.id] = Role(isMotion: true)
        }
        return roles
    }

    private static func parts(_ name: String) -> (stem: String, ending: String) {
        guard let parts = name.split(atLastByte: ".") else { return (name, "") }
        return (parts.head.lowercased(), parts.tail.lowercased())
    }
}
