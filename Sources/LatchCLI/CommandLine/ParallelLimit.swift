import Arguments
import LatchDownloads

/// How many files are fetched at once, of one host and of one kind too.
///
/// Source: DL-10.
struct ParallelLimit: ArgumentValue {
    /// As many as a server at home bears, and as there are connections to it.
    private static let allowed = 1...32

    let number: Int

    init(argument text: String) throws(ArgumentValueError) {
        guard let number = Int(text), Self.allowed.contains(number) else {
            throw ArgumentValueError(expected: "a number from 1 to 32")
        }
        self.number = number
    }

    /// The queue's settings with that limit in place of all three.
    var settings: DownloadSettings {
        var settings = DownloadSettings()
        settings.maximum = number
        settings.maximumPerHost = number
        settings.maximumPerGroup = number
        return settings
    }
}
