import Desktop
import FoundationEssentials
import LatchDownloads
import LatchKit
import Terminal

/// Downloads in the background, and the environment of downloads at the terminal.
///
/// Source: DL-15, DL-16, DL-17.
struct BackgroundDownload {
    /// What runs in the background.
    enum Program: Sendable {
        /// Downloads the files of the queue, then ends.
        case downloads
        /// Follows libraries, and downloads their new pictures.
        case follow

        fileprivate var name: String { self == .downloads ? "latchstring-downloads" : "latchstring-follow" }
        fileprivate var title: String { self == .downloads ? "Latchstring downloads" : "Latchstring: new pictures" }
        fileprivate var log: String { self == .downloads ? "downloads.log" : "follow.log" }

        fileprivate var entry: LoginEntry { LoginEntry(name, environment: ProcessInfo.processInfo.environment) }
        fileprivate var service: ServiceFile { ServiceFile(name, environment: ProcessInfo.processInfo.environment) }

        /// Removes the autostart entry and the service, so that nothing starts automatically any more.
        func removeAutostart() {
            entry.remove()
            service.remove()
        }
    }

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
    /// The place of the files, with the options for all files.
    let destination: DownloadDestination
    private var parallelLimit: ParallelLimit? { destination.parallelLimit }
    private let environment = ProcessInfo.processInfo.environment

    init(context: CommandContext, isMetered: Bool, destination: DownloadDestination) {
        self.context = context
        self.isMetered = isMetered
        self.destination = destination
    }

    /// Removes the autostart entry and the service when no file waits any more. Otherwise a service with nothing to do
    /// would start at every sign-in.
    static func removeAutostart(ifDone queue: DownloadQueue) async {
        if let progress = try? await queue.progress(), progress.open == 0 { Program.downloads.removeAutostart() }
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
            queue, environment: environment, fetchesMetered: isMetered,
            advice: "To download anyway: latch download --metered")
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
        await Self.removeAutostart(ifDone: queue)
        return try result.get()
    }

    /// Starts another `latch` that runs a program. The system or the desktop starts it again at each sign-in, until the
    /// program has finished its work.
    func start(_ program: Program) async throws -> ExitCode {
        try await context.openSecrets()
        let folders = try Folders(environment: environment)
        let log = folders.state + "/" + program.log
        try? FileManager.default.createDirectory(
            atPath: folders.state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let known = known()
        let words = try words(program)
        do {
            let settings = known.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            try program.entry.write(
                (settings.isEmpty ? [] : ["/usr/bin/env"] + settings) + words + ["--background"], title: program.title)
            let started = BackgroundProgram(
                words, as: program.service, description: program.title, environment: known, log: log)
            let supervisor = try await started.start(on: environment, waitingIn: folders.callbacks)
            // Only one of the two may start it again.
            if supervisor == .service { program.entry.remove() }
            try report(program, lines(program, supervisor), isService: supervisor == .service)
        } catch let error as DesktopError {
            // The start failed, so nothing may start by itself later.
            program.removeAutostart()
            throw LatchError(.backgroundFailed, error.message, cause: error)
        }
        return .done
    }

    /// Reports that a program runs already, and which options of this command have no effect on it.
    func reportRunning(_ program: Program, _ sentence: String) throws {
        let ignored = (parallelLimit == nil ? [] : ["--parallel"]) + (isMetered ? ["--metered"] : [])
        let options = ignored.joined(separator: ", ")
        let more = ignored.isEmpty ? "" : " It ignores these options of this command: \(options)."
        try report(program, [sentence + more], isService: program.service.exists)
    }

    private func report(_ program: Program, _ lines: [String], isService: Bool) throws {
        let log = try Folders(environment: environment).state + "/" + program.log
        try context.console.result(
            lines,
            json: [
                "background": true, "service": isService ? .string(program.name) : .null, "log": .string(log),
            ])
    }

    private func lines(_ program: Program, _ supervisor: BackgroundProgram.Supervisor) -> [String] {
        let lifetime = lifetime(program, supervisor)
        return switch program {
        case .downloads:
            [
                "The download continues in the background, even if you close this terminal. \(lifetime)",
                "To watch it: latch downloads watch. To stop it: latch downloads pause",
            ]
        case .follow:
            [
                "New pictures are downloaded in the background as they appear. \(lifetime)",
                "To see what is followed: latch downloads list. To stop: latch downloads unfollow",
            ]
        }
    }

    /// Returns a sentence about how long the program runs, and what starts it again.
    private func lifetime(_ program: Program, _ supervisor: BackgroundProgram.Supervisor) -> String {
        guard supervisor == .service else {
            let command = program == .follow ? "latch download --follow --background" : "latch download --background"
            return
                "After a crash or a restart of the machine this continues when you sign in to your desktop. Without a "
                + "desktop, run: \(command)"
        }
        return Lingering.isOn
            ? "After a restart of the machine this continues automatically."
            : "This pauses while you are signed out of this machine, and continues when you sign in. To let it run while "
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

    /// Reports in a sentence that there is nothing to do for a program, and removes its autostart entry and service.
    func nothingLeft(_ program: Program, _ sentence: String) throws -> ExitCode {
        program.removeAutostart()
        try context.console.result([sentence], json: ["background": false])
        return .done
    }

    /// Returns the command line of a program in the background. The folders of files and their layouts are stored with
    /// the queue and with the followed libraries.
    private func words(_ kind: Program) throws(LatchError) -> [String] {
        guard let program = DesktopProgram.ownPath else {
            throw LatchError(.backgroundFailed, "Could not determine the path of the latch program.")
        }
        // In the background there is no person who could retry after an outage.
        var words = [program, "download", "--keep-trying"]
        if kind == .follow { words.append("--follow") }
        if context.common.secrets != .automatic { words += ["--secrets", context.common.secrets.rawValue] }
        if let key = context.common.secretsKey { words += ["--secrets-key", InputFile.absolute(key)] }
        if isMetered { words.append("--metered") }
        if let parallelLimit { words += ["--parallel", "\(parallelLimit.number)"] }
        return words
    }
}
