import FoundationEssentials

/// How many requests one caller may make, by what is asked for.
public struct RequestRates: Sendable, Equatable {
    /// From one address that did not show yet who it is: sign-ins through providers, exchanges, credentials that are not in
    /// memory. Generous: a house or an office has one address.
    public var address = RequestRate.perMinute(600)
    /// By one person for keys: making, listing, revoking.
    public var credentials = RequestRate.perMinute(10)
    /// By one person or key for what reads.
    public var general = RequestRate.perMinute(100)
    /// By one person or key for what changes something.
    public var writes = RequestRate.perMinute(30)

    /// Makes rates of defaults.
    public init() {}
}

/// The limits of a gateway; each caller has its own share of each.
///
/// Source: contract of Relate Mail, rule 17, where all callers have one share.
struct RequestLimits: Sendable {
    /// What is limited, as the metrics name it.
    enum Kind: String, CaseIterable, Sendable {
        case address, credentials, general, writes
    }

    private let limits: [Kind: RequestLimit]
    private let metrics: Metrics

    init(_ rates: RequestRates, metrics: Metrics, now: @escaping @Sendable () -> Date) {
        limits = [
            .address: RequestLimit(rates.address, now: now), .credentials: RequestLimit(rates.credentials, now: now),
            .general: RequestLimit(rates.general, now: now), .writes: RequestLimit(rates.writes, now: now),
        ]
        self.metrics = metrics
    }

    /// Counts a request; nil when it may go on, otherwise for how long to stay away.
    func take(_ kind: Kind, _ caller: RequestCaller) -> Duration? {
        guard let wait = limits[kind]?.take(caller) else { return nil }
        metrics.limited(kind)
        return wait
    }

    /// How long a caller must wait, without counting a request.
    func wait(_ kind: Kind, _ caller: RequestCaller) -> Duration? {
        guard let wait = limits[kind]?.wait(for: caller) else { return nil }
        metrics.limited(kind)
        return wait
    }

    /// Forgets whoever has nothing to pay off.
    func sweep() {
        for limit in limits.values { limit.sweep() }
    }
}
