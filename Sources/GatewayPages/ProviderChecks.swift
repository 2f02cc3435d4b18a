import FoundationEssentials
import Synchronization

/// The results of the checks of identity providers, for the page of administrators.
///
/// A check sends several requests to a provider, so that one is made at most once in ``interval`` for each provider. Page
/// requests meanwhile get its result, also those that arrive before it ends.
final class ProviderChecks: Sendable {
    /// How long a result is used, in seconds.
    static let interval: TimeInterval = 60

    private let checks = Mutex<[String: (started: Date, result: Task<ProviderState, Never>)]>([:])

    /// Returns the state of a provider.
    ///
    /// - Parameters:
    ///   - id: The id of the provider.
    ///   - now: The current time.
    ///   - check: Checks the provider.
    /// - Returns: The result of `check`, or of an earlier one.
    func state(of id: String, at now: Date, _ check: @escaping @Sendable () async -> ProviderState) async
        -> ProviderState
    {
        let result = checks.withLock { checks in
            if let last = checks[id], (0..<Self.interval).contains(now.timeIntervalSince(last.started)) {
                return last.result
            }
            let result = Task { await check() }
            checks[id] = (now, result)
            return result
        }
        return await result.value
    }
}
