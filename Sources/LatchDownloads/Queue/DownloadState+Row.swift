extension DownloadState {
    /// The reason of a skipped or failed state, as a sentence. Nil for the other states.
    var reason: String? {
        switch self {
        case .skipped(let reason), .failed(let reason): reason
        case .waiting, .running, .paused, .done: nil
        }
    }

    /// Creates a state from its stored form.
    init(word: String, reason: String?) {
        switch word {
        case "running": self = .running
        case "paused": self = .paused
        case "done": self = .done
        case "skipped": self = .skipped(reason ?? "")
        case "failed": self = .failed(reason ?? "")
        default: self = .waiting
        }
    }
}
