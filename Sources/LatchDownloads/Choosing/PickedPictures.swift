/// Some of the pictures that a search finds.
package enum PickedPictures: Sendable, Hashable, Codable {
    /// Only these.
    case only(Set<PictureID>)
    /// All but these.
    case except(Set<PictureID>)

    /// Whether a task is that of a picture that is meant. The video of a live photo belongs to its picture.
    func contains(_ task: DownloadTask) -> Bool {
        let id = PictureID(text: task.metadata.liveID ?? task.id)
        return switch self {
        case .only(let ids): id.map(ids.contains) ?? false
        case .except(let ids): !(id.map(ids.contains) ?? false)
        }
    }
}
