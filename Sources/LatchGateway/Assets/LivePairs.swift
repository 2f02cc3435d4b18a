import FoundationEssentials

/// Finds the photograph and the video of live photographs. A phone writes both with the same name before the ending.
enum LivePairs {
    /// The role of a file in a pair.
    struct Role: Equatable {
        var motion: UUID?
        var isMotion = false
    }

    /// The maximum duration of a motion video. A longer video is independent, even if a photograph has the same name.
    static let longestMilliseconds = 15_000

    private static let stillEndings = ["heic", "heif", "jpg", "jpeg", "png"]
    private static let filmEndings = ["mov", "mp4"]

    /// Returns the roles of the files of one folder. Files that are not in a pair have none.
    ///
    /// If several files match, the first existing ending is used: HEIC, HEIF, JPG, JPEG, PNG for the photograph, and
    /// MOV, MP4 for the video.
    static func roles(_ files: [KnownFile]) -> [UUID: Role] {
        var stills: [String: (rank: Int, id: UUID)] = [:]
        var films: [String: (rank: Int, id: UUID)] = [:]
        for file in files {
            let (stem, ending) = parts(file.name)
            if let rank = stillEndings.firstIndex(of: ending) {
                if rank < stills[stem]?.rank ?? .max { stills[stem] = (rank, file.id) }
            } else if let rank = filmEndings.firstIndex(of: ending), file.duration ?? 0 <= longestMilliseconds {
                if rank < films[stem]?.rank ?? .max { films[stem] = (rank, file.id) }
            }
        }
        var roles: [UUID: Role] = [:]
        for (stem, film) in films {
            guard let still = stills[stem] else { continue }
            roles[still.id] = Role(motion: film.id)
            roles[film.id] = Role(isMotion: true)
        }
        return roles
    }

    private static func parts(_ name: String) -> (stem: String, ending: String) {
        guard let dot = name.lastIndex(of: ".") else { return (name, "") }
        return (name[..<dot].lowercased(), name[name.index(after: dot)...].lowercased())
    }
}
