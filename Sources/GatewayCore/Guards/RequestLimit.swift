package import FoundationEssentials
package import HTTPMessages
import Synchronization

/// The caller that a request is counted for.
package enum RequestCaller: Hashable, Sendable {
    /// A person who is signed in.
    case person(UUID)
    /// A program with its own API key.
    case key(UUID)
    /// A client of OAuth that has authenticated itself, by its id.
    case client(String)
    /// The session of a refresh token that this server issued.
    case session(SessionID)
    /// All sessions that were created from a session.
    case childSessions(SessionID)
    /// An unauthenticated caller, by address. An IPv6 /64 counts as one address.
    case address(AddressKey)

    /// Returns the caller at an address.
    package static func from(_ address: ClientAddress) -> RequestCaller { .address(AddressKey(address)) }

    /// The caller that the same requests count for too: the next wider network of an address.
    fileprivate var wider: RequestCaller? { key?.wider.map(RequestCaller.address) }

    /// How many times the rate of one caller this one has.
    fileprivate var allowance: Int { key?.allowance ?? 1 }

    /// The /48 network of an IPv6 address or a part of it.
    fileprivate var network: AddressKey? {
        guard let key, key.wider != nil else { return nil }
        return key.widest
    }

    private var key: AddressKey? {
        guard case .address(let key) = self else { return nil }
        return key
    }
}

/// Limits the requests of each caller. The requests of one caller do not count against another, but those of an IPv6
/// address count for its /56 and /48 networks too, which may make four and sixteen times as many.
///
/// A caller can send a full burst at once; after that, the rate applies. Unlike with fixed windows, two bursts are
/// never allowed in direct succession. The limit stores one date for each caller: the time when all of its requests are
/// paid off. A caller whose requests are paid off is removed.
///
/// At most twice `capacity` callers are stored. A flood of invented addresses displaces the callers that have not sent
/// a request for the longest time. Those callers get a fresh burst; nothing else is lost. The addresses of one /48 have a
/// sixty-fourth of the capacity; further ones only count for the /48, so that it cannot displace all others.
///
/// Source: ITU-T I.371 annex A, the generic cell rate algorithm; RFC 6585 §4 and RFC 9110 §10.2.3 for the response.
package final class RequestLimit: Sendable {
    /// The callers in two generations. A caller becomes young when it sends a request. When there are enough young
    /// callers, they become old, and the previous old ones are removed.
    fileprivate struct State {
        package var young: [RequestCaller: Date] = [:]
        package var old: [RequestCaller: Date] = [:]
        /// How many young callers each /48 network has.
        package var networks: [AddressKey: Int] = [:]
    }

    /// The rate of each caller.
    package let rate: RequestRate
    private let capacity: Int
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    /// Creates a limit without recorded requests.
    package init(_ rate: RequestRate, capacity: Int = 25_000, now: @escaping @Sendable () -> Date) {
        self.rate = rate
        self.capacity = max(1, capacity)
        self.now = now
    }

    /// Counts a request.
    ///
    /// - Returns: Nil when the request is allowed; otherwise the time to wait. A refused request is not counted.
    package func consume(_ caller: RequestCaller) -> Duration? {
        let now = now()
        return state.withLock { consume(caller, at: now, &$0) }
    }

    private func consume(_ caller: RequestCaller, at now: Date, _ state: inout State) -> Duration? {
        let cost = cost(of: caller)
        let known = state.young[caller] ?? state.old[caller] ?? now
        // If the clock was set back, a caller must not wait longer than the window.
        let bounded = min(max(known, now), now + rate.window)
        let wait = bounded.timeIntervalSince(now + (rate.window - cost))
        // A wait of less than a millisecond is a rounding error.
        guard wait < 0.001 else {
            // Stored, or each refusal would give the same wait again until the clock approaches its old time.
            if bounded < known { state.store(caller, until: bounded, capacity) }
            return .seconds(wait)
        }
        // Before this caller is stored, because a request that its network may not make is not counted.
        if let wider = caller.wider, let wait = consume(wider, at: now, &state) { return wait }
        state.store(caller, until: bounded + cost, capacity)
        return nil
    }

    private func cost(of caller: RequestCaller) -> Duration {
        rate.window / rate.requests.multipliedReportingOverflow(by: caller.allowance).partialValue
    }

    /// Returns how long a caller must wait; nil when its next request is allowed. Counts nothing.
    package func wait(for caller: RequestCaller) -> Duration? {
        let now = now()
        var longest: TimeInterval = 0
        state.withLock { state in
            var next: RequestCaller? = caller
            while let caller = next {
                let known = state.young[caller] ?? state.old[caller] ?? now
                let free = now + (rate.window - cost(of: caller))
                longest = max(longest, min(known, now + rate.window).timeIntervalSince(free))
                next = caller.wider
            }
        }
        return longest < 0.001 ? nil : .seconds(longest)
    }

    /// The number of stored callers.
    package var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// Removes all callers whose requests are paid off.
    package func sweep() {
        let now = now()
        state.withLock { state in
            state.young = state.young.filter { $0.value > now }
            state.old = state.old.filter { $0.value > now }
            state.networks = [:]
            for caller in state.young.keys {
                if let network = caller.network { state.networks[network, default: 0] += 1 }
            }
        }
    }
}

extension RequestLimit.State {
    fileprivate mutating func store(_ caller: RequestCaller, until date: Date, _ capacity: Int) {
        if young[caller] == nil {
            if let network = caller.network {
                let count = networks[network, default: 0]
                guard count < max(16, capacity / 64) else {
                    // Only what is known already: the network counts the rest.
                    if old[caller] != nil { old[caller] = date }
                    return
                }
                networks[network] = count + 1
            }
            old[caller] = nil
            if young.count >= capacity {
                old = young
                young = [:]
                networks = [:]
            }
        }
        young[caller] = date
    }
}
