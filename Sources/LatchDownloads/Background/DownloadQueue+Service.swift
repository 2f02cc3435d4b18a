public import FoundationEssentials
import LatchKit

extension DownloadQueue {
    /// Starts the background program if files wait and no program fetches.
    ///
    /// - Parameters:
    ///   - environment: The environment variables that locate accounts, programs and the services of the desktop.
    ///   - program: The path of the program `latch`. Nil to look beside this program, then in the folders of `PATH`.
    /// - Returns: How long the program runs. Nil when it was not started.
    /// - Throws: The errors of ``DownloadService/start()``; a `LatchError` with a `storage` code; `CancellationError`.
    ///
    /// Source: DL-17.
    @discardableResult
    public nonisolated func fetchInBackground(
        environment: [String: String] = ProcessInfo.processInfo.environment, program: String? = nil
    ) async throws -> DownloadService.Lifetime? {
        let snapshot = try await snapshot()
        guard snapshot.overall.open > snapshot.paused, try await !isFetchedElsewhere() else { return nil }
        let options = try await latch.serviceOptions(environment, program: program)
        return try await DownloadService(.queue, options: options, environment: environment).start()
    }
}

extension LatchClient {
    /// Starts the program that follows the libraries, unless it runs.
    ///
    /// - Throws: ``LatchError/Code/backgroundFailed``; a code of the storage.
    package func followLibrariesInBackground(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws {
        guard try !FollowedLibraries(self).isRunning() else { return }
        let options = try await serviceOptions(environment)
        try await DownloadService(.following, options: options, environment: environment).start()
    }

    /// The options of a background program: the settings of the person, and the same secret store as in this program.
    fileprivate func serviceOptions(
        _ environment: [String: String], program: String? = nil
    ) async throws -> DownloadService.Options {
        let secrets = try SecretsEnvironment(environment)
        var options = DownloadService.Options()
        options.program = program
        options.fetchesMetered = try await DownloadPreferences(self).fetchesMetered()
        (options.secrets, options.secretsKey) = (secrets.store, secrets.keyFile)
        return options
    }
}
