import Desktop
import FoundationEssentials
import LatchDownloads
import LatchKit
import Terminal

/// Downloads in the background, and the environment of downloads at the terminal.
///
/// Source: DL-15, DL-16, DL-17.
struct BackgroundDownload {
    let context: CommandContext
    /// Whether `--metered` is given.
    let isMetered: Bool
    /// The place of the files, with the options for all files.
    let destination: DownloadDestination
    private var parallelLimit: ParallelLimit? { destination.parallelLimit }
    private let environment = ProcessInfo.processInfo.environment

    init(context: CommandContext, isMetered: Bool, destination: DownloadDestination) {
        self.context = context
        self.isMetered = isMetered
        self.destination = destination
    }

    /// Runs the queue in this process as ``fetch(_:)`` does, and keeps the sessions and the lock of the device up to date.
    func run(_ queue: DownloadQueue, only group: DownloadGroup? = nil) async throws -> ExitCode {
        try await watching { try await fetch(queue, only: group) }
    }

    /// Runs `body`, and meanwhile renews the sessions before they expire and locks the device with the session of the
    /// desktop.
    func watching<Value>(_ body: () async throws -> Value) async throws -> Value {
        let latch = try await context.client()
        // Sessions whose server has nothing to download stay valid too.
        let renewal = Task { try? await latch.renewSessions() }
        let watch = Task { [environment] in await latch.lock.lockWithSession(environment) }
        defer {
            renewal.cancel()
            watch.cancel()
        }
        return try await body()
    }

    /// Runs the queue in this process and shows its progress, with notifications, network checks and sleep inhibition.
    func fetch(_ queue: DownloadQueue, only group: DownloadGroup? = nil) async throws -> ExitCode {
        let supervisor = DownloadSupervisor(
            queue, environment: environment, fetchesMetered: try await fetchesMetered())
        let result: Result<ExitCode, any Error>
        let lock = try await context.client().lock
        do {
            let run = {
                try await supervisor.run(onStart: { [environment] in BackgroundProgram.reportReady(environment) }) {
                    try await DownloadDisplay(console: context.console).show(queue, only: group)
                }
            }
            result = .success(try await lock.retaining(run))
        } catch {
            result = .failure(error)
        }
        await DownloadService(.queue).remove(ifDone: queue)
        return try result.get()
    }

    /// Starts another `latch`. The system or the desktop starts it again at each sign-in, until it has finished its work.
    func start(_ work: DownloadService.Work) async throws -> ExitCode {
        try await context.openSecrets()
        let service = try await service(work)
        let excluded = service.excludedVariables
        if !excluded.isEmpty, !context.console.isJSON {
            context.console.warn(
                "Not used in the background because it contains a password: \(excluded.joined(separator: ", ")). "
                    + "Store that proxy with the account: latch tls --proxy URL")
        }
        let lifetime = try await service.start()
        try report(service, lines(work, lifetime), isService: lifetime != .desktop)
        return .done
    }

    /// Reports that a program runs already, and which options of this command have no effect on it.
    func reportRunning(_ work: DownloadService.Work, _ sentence: String) throws {
        let ignored = (parallelLimit == nil ? [] : ["--parallel"]) + (isMetered ? ["--metered"] : [])
        let options = ignored.joined(separator: ", ")
        let more = ignored.isEmpty ? "" : " It ignores these options of this command: \(options)."
        let service = DownloadService(work)
        try report(service, [sentence + more], isService: service.isInstalled)
    }

    private func report(_ service: DownloadService, _ lines: [String], isService: Bool) throws {
        try context.console.result(
            lines,
            json: [
                "background": true, "service": isService ? .string(service.name) : .null,
                "log": service.log.map { .string($0) } ?? .null,
            ])
    }

    private func lines(_ work: DownloadService.Work, _ lifetime: DownloadService.Lifetime) -> [String] {
        let lifetime = Self.sentence(work, lifetime)
        return switch work {
        case .queue:
            [
                "The download continues in the background, even if you close this terminal. \(lifetime)",
                "To watch it: latch downloads watch. To stop it: latch downloads pause",
            ]
        case .following:
            [
                "New pictures are downloaded in the background as they appear. \(lifetime)",
                "To see what is followed: latch downloads list. To stop: latch downloads unfollow",
            ]
        }
    }

    private static func sentence(_ work: DownloadService.Work, _ lifetime: DownloadService.Lifetime) -> String {
        switch lifetime {
        case .always: lifetime.sentence
        case .whileSignedIn:
            "\(lifetime.sentence) To let it run while you are signed out: \(Lingering.command)"
        case .desktop:
            "\(lifetime.sentence) Without a desktop, run: latch download\(work == .following ? " --follow" : "") "
                + "--background"
        }
    }

    /// Reports in a sentence that there is nothing to do for a program, and removes its autostart entry and service.
    func nothingLeft(_ work: DownloadService.Work, _ sentence: String) throws -> ExitCode {
        DownloadService(work).remove()
        try context.console.result([sentence], json: ["background": false])
        return .done
    }

    /// Whether to download on metered networks. Without the option the stored setting decides.
    private func fetchesMetered() async throws -> Bool {
        if isMetered { return true }
        return try await DownloadPreferences(context.client()).fetchesMetered()
    }

    /// Returns the service with the options of this command.
    private func service(_ work: DownloadService.Work) async throws -> DownloadService {
        guard let program = DesktopProgram.ownPath else {
            throw LatchError(.backgroundFailed, "Could not determine the path of the latch program.")
        }
        var options = DownloadService.Options()
        options.program = program
        options.fetchesMetered = try await fetchesMetered()
        options.parallel = parallelLimit?.number
        options.secrets = context.common.secrets
        options.secretsKey = context.common.secretsKey.map(Folders.absolute)
        return DownloadService(work, options: options)
    }
}
