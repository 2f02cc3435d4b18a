package import FoundationEssentials

/// The request rates of one caller, by kind of request.
package struct RequestRates: Sendable, Equatable {
    /// The rate of one address for unauthenticated requests: sign-ins through providers, exchanges, and credentials
    /// that are not in memory. 600 per minute by default. The rate is high, because a household or an office may share
    /// one address. Counted apart with the same rate: unreadable bodies, unused proofs, wrong credentials of clients
    /// and requests of pages of other origins by address, and requests with a refresh token by its session.
    package var address = RequestRate.perMinute(600)
    /// The rate of one client of OAuth that authenticates itself, and of one server that introspects tokens. 6,000 per
    /// minute by default. Their requests do not count against their address.
    package var client = RequestRate.perMinute(6_000)
    /// The rate of one person for creating, listing and revoking keys. 10 per minute by default.
    package var credentials = RequestRate.perMinute(10)
    /// The rate of one person or key for requests that read. 100 per minute by default.
    package var general = RequestRate.perMinute(100)
    /// The rate of one person or key for requests that change something. 30 per minute by default. One session of a
    /// person has half of it, at least 1. Changes that end access have the same rate, of each session and key by itself.
    package var writes = RequestRate.perMinute(30)
    /// The rate of one person for sign-ins with the correct password. 120 per minute by default.
    package var signIns = RequestRate.perMinute(120)

    /// Creates rates with default values.
    package init() {}
}

/// The request limits of a gateway. Each caller is counted separately.
///
/// Source: docs/protocols/relate-mail.md, Rate limits, where all callers are counted together.
package struct RequestLimits: Sendable {
    /// The kinds of limits, as the metrics name them.
    package enum Kind: String, CaseIterable, Sendable {
        case address
        /// Bodies that cannot be read, by address.
        case unreadable
        /// Wrong credentials of clients, by address.
        case authentication
        /// Proofs of possession that are not valid, or that no token or sign-in uses, by address.
        case proof
        /// Requests that pages of other origins make browsers send, other than in their tabs, by address.
        case otherPages = "other_pages"
        /// Requests of clients that authenticated themselves, and with the refresh token of a session.
        case client, session
        /// Refreshes and revocations that renew or end nothing, by session. Further requests of such a session count for
        /// the address.
        case refusedRefresh = "refused_refresh"
        case credentials, general, writes
        /// Changes of one session, which count for the person too.
        case sessionWrites = "session_writes"
        /// Changes that end access, by session or key.
        case endings
        /// Sign-ins with the correct password, by person.
        case signIns = "sign_ins"
    }

    /// A change that a signed-in caller requests.
    package enum Change: Sendable {
        /// Ends the access of a session, key, client, person or network, or changes the password. Nothing else uses up
        /// this number of a session or key. So a program with a stolen one cannot keep the person from ending it. Sessions
        /// that were created from a session have one number together, which is not that session's.
        case endsAccess
        /// Any other change. It counts for the session or the one that it was created from, and then for the person.
        case other
    }

    private let limits: [Kind: RequestLimit]
    private let metrics: Metrics

    package init(_ rates: RequestRates, metrics: Metrics, now: @escaping @Sendable () -> Date) {
        limits = [
            .address: RequestLimit(rates.address, now: now), .unreadable: RequestLimit(rates.address, now: now),
            .authentication: RequestLimit(rates.address, now: now), .proof: RequestLimit(rates.address, now: now),
            .otherPages: RequestLimit(rates.address, now: now),
            .client: RequestLimit(rates.client, now: now),
            .session: RequestLimit(rates.address, now: now), .credentials: RequestLimit(rates.credentials, now: now),
            .refusedRefresh: RequestLimit(.perMinute(5), now: now), .general: RequestLimit(rates.general, now: now),
            .writes: RequestLimit(rates.writes, now: now), .endings: RequestLimit(rates.writes, now: now),
            .sessionWrites: RequestLimit(
                RequestRate(max(1, rates.writes.requests / 2), in: rates.writes.window), now: now),
            .signIns: RequestLimit(rates.signIns, now: now),
        ]
        self.metrics = metrics
    }

    /// Counts a request. Returns nil when it is allowed; otherwise the time to wait.
    package func consume(_ kind: Kind, _ caller: RequestCaller) -> Duration? {
        guard let wait = limits[kind]?.consume(caller) else { return nil }
        metrics.limited(kind)
        return wait
    }

    /// Counts a change of a person. Every route for people and programs that are signed in counts its changes here.
    ///
    /// - Parameters:
    ///   - change: What the request does.
    ///   - caller: ``Session/caller`` of the session of the request, or its key, or the person when it has neither.
    ///   - person: The person.
    /// - Returns: Nil when the change is allowed; otherwise the time to wait.
    package func consume(_ change: Change, by caller: RequestCaller, of person: UUID) -> Duration? {
        switch (change, caller) {
        case (.endsAccess, _): consume(.endings, caller)
        case (.other, .childSessions(let parent)): consume(.other, by: .session(parent), of: person)
        case (.other, .session): consume(.sessionWrites, caller) ?? consume(.writes, .person(person))
        case (.other, _): consume(.writes, caller)
        }
    }

    /// Returns how long a caller must wait, without counting a request; nil when its next request is allowed.
    package func wait(_ kind: Kind, _ caller: RequestCaller) -> Duration? {
        guard let wait = limits[kind]?.wait(for: caller) else { return nil }
        metrics.limited(kind)
        return wait
    }

    /// Whether a caller has used up a limit. Counts nothing, also not in the metrics.
    package func isUsedUp(_ kind: Kind, by caller: RequestCaller) -> Bool { limits[kind]?.wait(for: caller) != nil }

    /// Removes all callers whose requests are paid off.
    package func sweep() {
        for limit in limits.values { limit.sweep() }
    }
}
