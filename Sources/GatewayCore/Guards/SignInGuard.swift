import Crypto
package import FoundationEssentials
import HTTPMessages
import Synchronization

/// Limits password attempts from one address, and on one account whether or not it exists.
///
/// An IPv6 address is counted by its /64, because one customer has a whole /64. Too many failures start a lock-out,
/// which is longer each time. The correct password clears the failures of the account but not those of the address,
/// because an attacker may have an account.
///
/// Source: NIST SP 800-63B §5.2.2; RFC 6749 §10.10.
package final class SignInGuard: Sendable {
    /// The places that an attempt has reserved. Each reservation must be settled exactly once.
    package struct Reservation: Sendable {
        fileprivate let address: AddressKey
        fileprivate let account: SHA256Digest?
    }

    /// The result of requesting an attempt.
    package enum Decision: Sendable {
        /// The attempt is allowed and must be settled.
        case granted(Reservation)
        /// The attempt is refused. The value is the time to wait.
        case refused(Duration)
    }

    private struct State {
        package var addresses: AttemptTable<AddressKey>
        package var accounts: AttemptTable<SHA256Digest>
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> Date

    /// Creates a guard that stores at most `capacity` addresses and as many accounts.
    package init(
        address: AttemptLimit, account: AttemptLimit, capacity: Int = 50_000, now: @escaping @Sendable () -> Date
    ) {
        state = Mutex(
            State(
                addresses: AttemptTable(limit: address, capacity: capacity),
                accounts: AttemptTable(limit: account, capacity: capacity)))
        self.now = now
    }

    /// Requests an attempt from an address, and on an account if one is given.
    package func reserve(from address: ClientAddress, account: EmailAddress?) -> Decision {
        let now = now()
        let address = AddressKey(address)
        // A hash, so that a key has a fixed size even when a client sends a very long e-mail address.
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

    /// Settles an attempt that ended before the password was checked.
    package func release(_ reservation: Reservation) {
        state.withLock { state in
            state.addresses.release(reservation.address)
            if let account = reservation.account { state.accounts.release(account) }
        }
    }

    /// Settles an attempt with the correct password.
    package func succeed(_ reservation: Reservation) {
        state.withLock { state in
            state.addresses.succeed(reservation.address, resettingFailures: false)
            if let account = reservation.account { state.accounts.succeed(account, resettingFailures: true) }
        }
    }

    /// Settles an attempt with a wrong password, or one that counts as such.
    ///
    /// - Returns: The lengths of the lock-outs that start; nil where none starts.
    package func fail(_ reservation: Reservation) -> (address: Duration?, account: Duration?) {
        let now = now()
        return state.withLock { state in
            let address = state.addresses.fail(reservation.address, at: now)
            let account = reservation.account.flatMap { state.accounts.fail($0, at: now) }
            return (address, account)
        }
    }

    /// Drops all idle counters.
    package func sweep() {
        let now = now()
        state.withLock { state in
            state.addresses.sweep(at: now)
            state.accounts.sweep(at: now)
        }
    }
}
