import FoundationEssentials
import HTTPMessages
import Synchronization

/// The bans in memory. Finding an address takes one look-up for each length of a network in the list, however many
/// networks it has.
final class BanList: Sendable {
    private struct Length: Hashable {
        let family: IPAddress.Family
        let prefixLength: Int
    }

    private struct State {
        /// When the ban of each network ends.
        var ends: [IPNetwork: Date] = [:]
        var lengths: Set<Length> = []
        /// The number of the read that the bans are from.
        var read = 0
    }

    private let state = Mutex(State())

    /// Replaces all bans, unless they are from a later read.
    ///
    /// - Parameters:
    ///   - bans: The bans.
    ///   - read: The number of the read. Later reads have larger numbers.
    func replace(with bans: [Ban], read: Int) {
        let ends = Dictionary(bans.map { ($0.network, $0.expires ?? .distantFuture) }) { max($0, $1) }
        let lengths = Set(bans.map { Length(family: $0.network.address.family, prefixLength: $0.network.prefixLength) })
        state.withLock { state in
            guard read > state.read else { return }
            state = State(ends: ends, lengths: lengths, read: read)
        }
    }

    /// Whether an address is banned at a time.
    func contains(_ address: IPAddress, at now: Date) -> Bool {
        state.withLock { state in
            state.lengths.contains { length in
                guard length.family == address.family,
                    let network = IPNetwork(of: address, prefixLength: length.prefixLength)
                else { return false }
                return state.ends[network].map { now < $0 } ?? false
            }
        }
    }
}
