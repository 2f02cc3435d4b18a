import FoundationEssentials

/// Which film moves with which photograph: the two files that a phone writes of one moment have one name before its ending.
enum LivePairs {
    /// What a file of a pair is to be.
    struct Role: Equatable {
        var motion: UUID?
        var isMotion = false
    }

    /// Films longer than this are no moment, but films with a picture beside them.
    static let longestMilliseconds = 15_000

    private static let stillEndings = ["heic", "heif", "jpg", "jpeg", "png"]
    private static let filmEndings = ["mov", "mp4"]

    /// The role of each file of one folder that has one.
    ///
    /// Where several would do, the photograph is the one whose ending stands first in HEIC, HEIF, JPG, JPEG, PNG, and
    /// the film a MOV before an MP4.
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
