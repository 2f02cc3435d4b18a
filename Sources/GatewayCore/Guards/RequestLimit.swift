package import FoundationEssentials
package import HTTPMessages
import Synchronization

/// The caller that a request is counted for.
package enum RequestCaller: Hashable, Sendable {
    /// A person who is signed in.
    case person(UUID)
    /// A program with its own API key.
    case key(UUID)
    /// An unauthenticated caller, by address. An IPv6 /64 counts as one address.
    case address(AddressKey)

    /// Returns the caller at an address.
    package static func from(_ address: ClientAddress) -> RequestCaller { .address(AddressKey(address)) }
}

/// Limits the requests of each caller. The requests of one caller do not count against another.
///
/// A caller can send a full burst at once; after that, the rate applies. Unlike with fixed windows, two bursts are
/// never allowed in direct succession. The limit stores one date for each caller: the time when all of its requests are
/// paid off. A caller whose requests are paid off is removed.
///
/// At most twice `capacity` callers are stored. A flood of invented addresses displaces the callers that have not sent
/// a request for the longest time. Those callers get a fresh burst; nothing else is lost.
///
/// Source: ITU-T I.371 annex A, the generic cell rate algorithm; RFC 6585 §4 and RFC 9110 §10.2.3 for the response.
package final class RequestLimit: Sendable {
    /// The callers in two generations. A caller becomes young when it sends a request. When there are enough young
    /// callers, they become old, and the previous old ones are removed.
    fileprivate struct State {
        package var young: [RequestCaller: Date] = [:]
        package var old: [RequestCaller: Date] = [:]
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
        let cost = rate.window / rate.requests
        return state.withLock { state in
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
            state.store(caller, until: bounded + cost, capacity)
            return nil
        }
    }

    /// Returns how long a caller must wait; nil when its next request is allowed. Counts nothing.
    package func wait(for caller: RequestCaller) -> Duration? {
        let now = now()
        let cost = rate.window / rate.requests
        let known = state.withLock { $0.young[caller] ?? $0.old[caller] } ?? now
        let wait = min(known, now + rate.window).timeIntervalSince(now + (rate.window - cost))
        return wait < 0.001 ? nil : .seconds(wait)
    }

    /// The number of stored callers.
    package var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// Removes all callers whose requests are paid off.
    package func sweep() {
        let now = now()
        state.withLock { state in
            state.young = state.young.filter { $0.value > now }
            state.old = state.old.filter { $0.value > now }
        }
    }
}

extension RequestLimit.State {
    fileprivate mutating func store(_ caller: RequestCaller, until date: Date, _ capacity: Int) {
        if young[caller] == nil {
            old[caller] = nil
            if young.count >= capacity {
                old = young
                young = [:]
            }
        }
        young[caller] = date
    }
}
