extension DownloadState {
    /// The sentence that goes with it.
    var reason: String? {
        switch self {
        case .skipped(let reason), .failed(let reason): reason
        case .waiting, .running, .paused, .done: nil
        }
    }

    /// Reads what the queue's file keeps.
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
