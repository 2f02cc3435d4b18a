package import FoundationEssentials
import HTTPMessages
import Synchronization

/// A sign-in that failed, or a lock-out.
package struct SignInFailure: Sendable {
    /// The number of the failure since the start of the program.
    package let number: Int
    package let time: Date
    package let event: AuditEvent

    /// The key of the address that the failure came from. Nil for a failure without an address.
    var addressKey: AddressKey? { event.address.map { AddressKey(IPAddress($0)) } }
}

/// Keeps the most recent failed sign-ins for administrators, in memory only: those of people, and those of clients. One
/// address keeps a fifth of either at most, so that a flood of failures hides few others.
package final class SignInFailures: Sendable {
    /// The maximum number of failures of people that are kept, and that of failures of clients.
    static let capacity = 500
    /// The maximum number of either from one address. A further one replaces the oldest.
    static let capacityPerAddress = 100

    private struct State {
        /// The failures of people, the newest last.
        var people = Kept()
        /// The failures of clients, the newest last.
        var clients = Kept()
        var count = 0
    }

    private struct Kept {
        var failures: [SignInFailure] = []
        private var countByAddress: [AddressKey: Int] = [:]

        mutating func append(_ failure: SignInFailure, from address: AddressKey?) {
            if let address, countByAddress[address, default: 0] >= SignInFailures.capacityPerAddress,
                let index = failures.firstIndex(where: { $0.addressKey == address })
            {
                remove(at: index)
            } else if failures.count >= SignInFailures.capacity {
                remove(at: 0)
            }
            failures.append(failure)
            if let address { countByAddress[address, default: 0] += 1 }
        }

        private mutating func remove(at index: Int) {
            guard let address = failures.remove(at: index).addressKey else { return }
            let rest = countByAddress[address, default: 1] - 1
            countByAddress[address] = rest > 0 ? rest : nil
        }
    }

    private let state = Mutex(State())

    /// Keeps an event if it is a failure.
    func record(_ event: AuditEvent, at time: Date) {
        guard event.kind == .signInFailed || event.kind == .lockedOut else { return }
        state.withLock { state in
            state.count += 1
            let failure = SignInFailure(number: state.count, time: time, event: event)
            if event.client == nil {
                state.people.append(failure, from: failure.addressKey)
            } else {
                state.clients.append(failure, from: failure.addressKey)
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
