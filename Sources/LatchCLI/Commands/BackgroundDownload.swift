import Desktop
import FoundationEssentials
import LatchDownloads
import LatchKit
import Terminal

/// Downloads in the background, and the environment of downloads at the terminal.
///
/// Source: DL-15, DL-16, DL-17.
struct BackgroundDownload {
    private static let name = "latchstring-downloads"
    private static let title = "Latchstring downloads"
    /// The environment variables that a service, or an autostart entry of the desktop, needs to find the same accounts.
    private static let inheritedVariables = UserFolder.allCases.map(\.variable) + ["LATCH_LOG"]
    /// The environment variables that they need to reach the servers in the same way.
    ///
    /// Source: curl(1), environment; SSL_CTX_set_default_verify_paths(3).
    private static let ways = [
        "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY", "SSL_CERT_DIR",
    ]
    private static let authorities = ["SSL_CERT_FILE", "CURL_CA_BUNDLE"]

    let context: CommandContext
    let isMetered: Bool
    let parallelLimit: ParallelLimit?
    private let environment = ProcessInfo.processInfo.environment

    init(context: CommandContext, isMetered: Bool, parallelLimit: ParallelLimit?) {
        self.context = context
        self.isMetered = isMetered
        self.parallelLimit = parallelLimit
    }

    private static var entry: LoginEntry { LoginEntry(name, environment: ProcessInfo.processInfo.environment) }
    private static var service: ServiceFile { ServiceFile(name, environment: ProcessInfo.processInfo.environment) }

    /// Removes the autostart entry and the service, so that nothing starts automatically any more.
    private static func removeAutostart() {
        entry.remove()
        service.remove()
    }

    /// Removes the autostart entry and the service when no file waits any more. Otherwise a service with nothing to do
    /// would start at every sign-in.
    static func removeAutostart(ifDone queue: DownloadQueue) async {
        if let progress = try? await queue.progress(), progress.open == 0 { removeAutostart() }
    }

    /// Runs the queue in this process and shows its progress, with notifications, network checks and sleep inhibition.
    func run(_ queue: DownloadQueue) async throws -> ExitCode {
        let supervisor = DownloadSupervisor(
            queue, environment: environment, fetchesMetered: isMetered,
            advice: "To download anyway: latch download --metered")
        let latch = try await context.client()
        // Sessions whose server has nothing to download stay valid too.
        let renewal = Task { try? await latch.renewSessions() }
        defer { renewal.cancel() }
        let result: Result<ExitCode, any Error>
        let lock = try await context.client().lock
        let watch = Task { [environment] in await lock.lockWithSession(environment) }
        defer { watch.cancel() }
        do {
            let run = {
                try await supervisor.run(onStart: { [environment] in BackgroundProgram.reportReady(environment) }) {
                    try await DownloadDisplay(console: context.console).show(queue)
                }
            }
            result = .success(try await lock.retaining(run))
        } catch {
            result = .failure(error)
        }
        await Self.removeAutostart(ifDone: queue)
        return try result.get()
    }

    /// Starts another `latch` that fetches the waiting files. Until all files are here, the system or the desktop
    /// starts it again at each sign-in.
    func start() async throws -> ExitCode {
        try await context.openSecrets()
        let folders = try Folders(environment: environment)
        let log = folders.state + "/downloads.log"
        try? FileManager.default.createDirectory(
            atPath: folders.state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let known = known()
        let words = try words()
        do {
            let settings = known.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            try Self.entry.write(
                (settings.isEmpty ? [] : ["/usr/bin/env"] + settings) + words + ["--background"], title: Self.title)
            let program = BackgroundProgram(
                words, as: Self.service, description: Self.title, environment: known, log: log)
            let supervisor = try await program.start(on: environment, waitingIn: folders.callbacks)
            // Only one of the two may start it again.
            if supervisor == .service { Self.entry.remove() }
            try context.console.result(
                [
                    "The download continues in the background, even if you close this terminal. \(lifetime(supervisor))",
                    "To watch it: latch downloads watch. To stop it: latch downloads pause",
                ],
                json: [
                    "background": true, "service": supervisor == .service ? .string(Self.name) : .null,
                    "log": .string(log),
                ])
        } catch let error as DesktopError {
            // The start failed, so nothing may start by itself later.
            Self.removeAutostart()
            throw LatchError(.backgroundFailed, error.message, cause: error)
        }
        return .done
    }

    /// Returns a sentence about how long the program runs, and what starts it again.
    private func lifetime(_ supervisor: BackgroundProgram.Supervisor) -> String {
        guard supervisor == .service else {
            return
                "After a crash or a restart of the machine it continues when you sign in to your desktop. Without a "
                + "desktop, run: latch download --background"
        }
        return Lingering.isOn
            ? "After a restart of the machine it continues automatically."
            : "It pauses while you are signed out of this machine, and continues when you sign in. To let it run while "
                + "you are signed out: \(Lingering.command)"
    }

    /// Returns the environment variables to store for later starts. A proxy's password is left out, because other users
    /// could read it there.
    private func known() -> [String: String] {
        var known = environment.filter { Self.inheritedVariables.contains($0.key) || Self.ways.contains($0.key) }
        for name in Self.authorities { known[name] = environment[name].map(InputFile.absolute) }
        let guarded = known.filter { $0.key.lowercased().hasSuffix("_proxy") && $0.value.contains("@") }.keys.sorted()
        for name in guarded { known[name] = nil }
        if !guarded.isEmpty, !context.console.isJSON {
            context.console.warn(
                "Not used in the background because it contains a password: \(guarded.joined(separator: ", ")). "
                    + "Store that proxy with the account: latch tls --proxy URL")
        }
        return known
    }

    /// Reports that no file waits, and removes the autostart entry and the service.
    func nothingLeft() throws -> ExitCode {
        Self.removeAutostart()
        try context.console.result(["No files are waiting to be downloaded."], json: ["background": false])
        return .done
    }

    /// Returns the command line that runs this program for the waiting files. Their folder and its layout are stored
    /// with the queue.
    private func words() throws(LatchError) -> [String] {
        guard let program = DesktopProgram.ownPath else {
            throw LatchError(.backgroundFailed, "Could not determine the path of the latch program.")
        }
        // In the background there is no person who could retry after an outage.
        var words = [program, "download", "--keep-trying"]
        if context.common.secrets != .automatic { words += ["--secrets", context.common.secrets.rawValue] }
        if let key = context.common.secretsKey { words += ["--secrets-key", InputFile.absolute(key)] }
        if isMetered { words.append("--metered") }
        if let parallelLimit { words += ["--parallel", "\(parallelLimit.number)"] }
        return words
    }
}
