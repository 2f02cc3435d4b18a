package import FoundationEssentials
import HTTPMessages
import Synchronization

/// A sign-in that failed, or a lock-out.
package struct SignInFailure: Sendable {
    /// The number of the failure since the start of the program.
    package let number: Int
    package let time: Date
    package let event: AuditEvent
    /// The address that the failure came from, and its networks. Empty for a failure without an address.
    let addressKeys: [AddressKey]
}

/// Stores the most recent failed sign-ins for administrators, in memory only: those of people, and those of clients. One
/// address or network has its ``AddressKey/share(of:)`` of either, so that a flood of failures does not hide the others.
package final class SignInFailures: Sendable {
    /// The maximum number of failures of people that are stored, and that of failures of clients. Beyond a share of it, a
    /// further failure replaces the oldest from there.
    static let capacity = 500

    private struct State {
        /// The failures of people, the newest last.
        var people = Stored()
        /// The failures of clients, the newest last.
        var clients = Stored()
        var count = 0
    }

    private struct Stored {
        var failures: [SignInFailure] = []
        private var counts: [AddressKey: Int] = [:]

        mutating func append(_ failure: SignInFailure) {
            let full = failure.addressKeys.first {
                counts[$0, default: 0] >= $0.share(of: SignInFailures.capacity)
            }
            if let full, let index = failures.firstIndex(where: { $0.addressKeys.contains(full) }) {
                remove(at: index)
            } else if failures.count >= SignInFailures.capacity {
                remove(at: 0)
            }
            failures.append(failure)
            for key in failure.addressKeys { counts[key, default: 0] += 1 }
        }

        private mutating func remove(at index: Int) {
            for key in failures.remove(at: index).addressKeys {
                let rest = counts[key, default: 1] - 1
                counts[key] = rest > 0 ? rest : nil
            }
        }
    }

    private let state = Mutex(State())

    /// Stores an event if it is a failure.
    func record(_ event: AuditEvent, at time: Date) {
        guard event.kind == .signInFailed || event.kind == .lockedOut else { return }
        let keys = event.address.map { AddressKey(IPAddress($0)).all } ?? []
        state.withLock { state in
            state.count += 1
            let failure = SignInFailure(number: state.count, time: time, event: event, addressKeys: keys)
            if event.client == nil {
                state.people.append(failure)
            } else {
                state.clients.append(failure)
            }
        }
    }

    /// Returns at most `limit` failures below a number, the newest first. Nil starts with the newest failure.
    package func page(before number: Int?, limit: Int) -> [SignInFailure] {
        state.withLock { state in
            let all = (state.people.failures + state.clients.failures).sorted { $0.number > $1.number }
            return Array(all.lazy.filter { $0.number < number ?? Int.max }.prefix(limit))
        }
    }
}
