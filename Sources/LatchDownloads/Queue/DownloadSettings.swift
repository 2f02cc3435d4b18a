/// The limits, retries and timeouts of a queue.
///
/// Source: DL-10, DL-14.
public struct DownloadSettings: Sendable, Hashable {
    /// The maximum number of simultaneous transfers. Default: 6.
    public var maximum = 6
    /// The maximum number of simultaneous transfers from one host. Default: 6.
    public var maximumPerHost = 6
    /// The maximum number of simultaneous transfers of one group. Default: 3.
    public var maximumPerGroup = 3
    /// How many times a task is retried after temporary failures. Default: 3.
    public var retries = 3
    /// How long a transfer may receive no bytes before it is stopped and retried. Default: 30 seconds.
    public var stallTimeout = Duration.seconds(30)
    /// How long to wait for a host before its tasks fail, as the sum of all pauses. Nil waits for an unreachable host
    /// without a limit, for a program that runs unattended. A host that responds but cannot serve is then still limited
    /// to ``defaultMaximumOutage``. Default: ``defaultMaximumOutage``.
    public var maximumOutage: Duration? = defaultMaximumOutage
    /// The default of ``maximumOutage``, 15 minutes.
    public static let defaultMaximumOutage = Duration.seconds(900)

    /// Creates settings with the default values.
    public init() {}
}
