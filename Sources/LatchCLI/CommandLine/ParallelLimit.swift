import Arguments
import LatchDownloads

/// The limit on simultaneous transfers, in total, for each host and for each group.
///
/// Source: DL-10.
struct ParallelLimit: ArgumentValue {
    /// The allowed limits. A home server can handle no more, and no more connections to it are opened.
    private static let allowed = 1...32

    let number: Int

    init(argument text: String) throws(ArgumentValueError) {
        guard let number = Int(text), Self.allowed.contains(number) else {
            throw ArgumentValueError(expected: "a number from 1 to 32")
        }
        self.number = number
    }

    /// The settings of the queue, with this limit for all three maximums.
    var settings: DownloadSettings {
        var settings = DownloadSettings()
        settings.maximum = number
        settings.maximumPerHost = number
        settings.maximumPerGroup = number
        return settings
    }
}
