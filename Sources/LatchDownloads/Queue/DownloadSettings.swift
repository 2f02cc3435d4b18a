/// How much is fetched at once, and how hard is tried.
///
/// Source: DL-10, DL-14.
public struct DownloadSettings: Sendable, Hashable {
    /// At most so many at once.
    public var maximum = 6
    /// At most so many at once from one host.
    public var maximumPerHost = 6
    /// At most so many at once of one group.
    public var maximumPerGroup = 3
    /// How often a task is tried again after a failure that may pass.
    public var retries = 3
    /// How long not one byte may come before a transfer is tried again.
    public var stallTimeout = Duration.seconds(30)
    /// How long a host that cannot be reached is waited for, all pauses together, before what waits for it fails; nil
    /// for ever, as suits a program that nobody watches. A host that answers, and only that it cannot serve, is not
    /// waited for for longer than ``usualOutage`` either way.
    public var maximumOutage: Duration? = usualOutage
    /// A quarter of an hour.
    public static let usualOutage = Duration.seconds(900)

    /// The usual settings.
    public init() {}
}
