import FoundationEssentials
import Synchronization
import Wire

/// Who makes requests, as far as they are counted.
enum RequestCaller: Hashable, Sendable {
    /// Somebody signed in.
    case person(UUID)
    /// A program with a key of its own.
    case key(UUID)
    /// Whoever is not known yet, by address; an IPv6 /64 is one.
    case address(AddressKey)

    /// The caller at an address.
    static func from(_ address: ClientAddress) -> RequestCaller { .address(AddressKey(address)) }
}

/// Bounds how many requests one caller makes; nobody's requests count against another.
///
/// A full burst may come at once, and from then on the rate holds: no moment is there, as at the edge of a window, at which
/// two bursts are let through. Of each caller one instant is kept, at which all that it has asked for is paid off; who paid
/// off everything is forgotten.
///
/// At most twice `capacity` callers are remembered. A flood of made-up addresses has those forgotten that were not seen for
/// longest; each of them gets a fresh burst, and nothing else is lost.
///
/// Source: ITU-T I.371 annex A, the generic cell rate algorithm; RFC 6585 §4 and RFC 9110 §10.2.3 for what is answered.
final class RequestLimit: Sendable {
    /// The callers in two generations: who is seen becomes young, and when there are enough young ones all become old and
    /// the old go.
    fileprivate struct State {
        var young: [RequestCaller: Date] = [:]
        var old: [RequestCaller: Date] = [:]
    }

    /// The rate.
    let rate: RequestRate
    private let capacity: Int
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    /// Makes a limit by which nobody has asked for anything yet.
    init(_ rate: RequestRate, capacity: Int = 25_000, now: @escaping @Sendable () -> Date) {
        self.rate = rate
        self.capacity = max(1, capacity)
        self.now = now
    }

    /// Counts a request.
    ///
    /// - Returns: Nil when it may go on; otherwise for how long to stay away, and it is not counted.
    func take(_ caller: RequestCaller) -> Duration? {
        let now = now()
        let cost = rate.window / rate.requests
        return state.withLock { state in
            let known = state.young[caller] ?? state.old[caller] ?? now
            // A clock set back must not keep anybody out for longer than the window.
            let paidOff = min(max(known, now), now + rate.window)
            let wait = paidOff.timeIntervalSince(now + (rate.window - cost))
            // Below a millisecond it is what is lost in the sum of fractions.
            guard wait < 0.001 else {
                if paidOff < known { state.keep(caller, until: paidOff, capacity) }
                return .seconds(wait)
            }
            state.keep(caller, until: paidOff + cost, capacity)
            return nil
        }
    }

    /// How long a caller must wait; nil when its next request is allowed. Counts nothing.
    func wait(for caller: RequestCaller) -> Duration? {
        let now = now()
        let cost = rate.window / rate.requests
        let known = state.withLock { $0.young[caller] ?? $0.old[caller] } ?? now
        let wait = min(known, now + rate.window).timeIntervalSince(now + (rate.window - cost))
        return wait < 0.001 ? nil : .seconds(wait)
    }

    /// How many callers are remembered.
    var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// Forgets everybody who has nothing to pay off.
    func sweep() {
        let now = now()
        state.withLock { state in
            state.young = state.young.filter { $0.value > now }
            state.old = state.old.filter { $0.value > now }
        }
    }
}

extension RequestLimit.State {
    fileprivate mutating func keep(_ caller: RequestCaller, until date: Date, _ capacity: Int) {
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
