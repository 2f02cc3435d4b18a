import Crypto
import FoundationEssentials
import Synchronization
import Wire

/// Bounds how many passwords can be tried: from one address, and on one account whether or not it exists.
///
/// An IPv6 address counts by its /64, which one customer has as a whole. Too many failures lead to a lock-out that grows
/// each time. The right password clears the account's failures but not the address's, which might be an attacker's with an account of their own.
///
/// Source: NIST SP 800-63B §5.2.2; RFC 6749 §10.10.
final class SignInGuard: Sendable {
    /// The places that an attempt holds; each is settled exactly once.
    struct Reservation: Sendable {
        fileprivate let address: AddressKey
        fileprivate let account: SHA256Digest?
    }

    /// What became of asking for an attempt.
    enum Answer: Sendable {
        /// It may go on, and must be settled.
        case granted(Reservation)
        /// It is refused for so long.
        case refused(Duration)
    }

    private struct State {
        var addresses: AttemptTable<AddressKey>
        var accounts: AttemptTable<SHA256Digest>
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> Date

    /// Makes a guard that remembers at most `capacity` addresses and as many accounts.
    init(
        address: AttemptLimit, account: AttemptLimit, capacity: Int = 50_000, now: @escaping @Sendable () -> Date
    ) {
        state = Mutex(
            State(
                addresses: AttemptTable(limit: address, capacity: capacity),
                accounts: AttemptTable(limit: account, capacity: capacity)))
        self.now = now
    }

    /// Asks for an attempt from an address, on an account when one is named.
    func reserve(from address: ClientAddress, account: EmailAddress?) -> Answer {
        let now = now()
        let address = AddressKey(address)
        let account = account.map { SHA256.digest($0.text) }
        return state.withLock { state in
            if let wait = state.addresses.reserve(address, at: now) { return .refused(wait) }
            if let account, let wait = state.accounts.reserve(account, at: now) {
                state.addresses.release(address)
                return .refused(wait)
            }
            return .granted(Reservation(address: address, account: account))
        }
    }

    /// Settles an attempt that ended before the password was looked at.
    func release(_ reservation: Reservation) {
        state.withLock { state in
            state.addresses.release(reservation.address)
            if let account = reservation.account { state.accounts.release(account) }
        }
    }

    /// Settles an attempt with the right password.
    func succeed(_ reservation: Reservation) {
        state.withLock { state in
            state.addresses.succeed(reservation.address, forgettingFailures: false)
            if let account = reservation.account { state.accounts.succeed(account, forgettingFailures: true) }
        }
    }

    /// Settles an attempt with a wrong password, or one that shall count like it.
    ///
    /// - Returns: The length of the lock-outs that it led to.
    func fail(_ reservation: Reservation) -> (address: Duration?, account: Duration?) {
        let now = now()
        return state.withLock { state in
            let address = state.addresses.fail(reservation.address, at: now)
            let account = reservation.account.flatMap { state.accounts.fail($0, at: now) }
            return (address, account)
        }
    }

    /// Drops what says nothing any more.
    func sweep() {
        let now = now()
        state.withLock { state in
            state.addresses.sweep(at: now)
            state.accounts.sweep(at: now)
        }
    }
}
