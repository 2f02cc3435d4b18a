import Desktop
public import FoundationEssentials
public import LatchKit

/// Downloads in the background, by the program `latch`: as a user service where available, otherwise as a process that
/// the desktop starts again at each sign-in.
///
/// The program downloads what waits in the queue, and ends. It outlives the program that starts it. All front ends start
/// and end the same service.
///
/// Source: DL-15, DL-16, DL-17.
public struct DownloadService: Sendable {
    /// What runs in the background.
    public enum Work: Sendable, Hashable {
        /// Downloads the files of the queue, then ends.
        case queue
        /// Follows libraries, and downloads their new pictures.
        case following
    }

    /// Options of the program.
    public struct Options: Sendable, Hashable {
        /// The path of the program `latch`. Nil to look beside this program, then in the folders of `PATH`.
        public var program: String?
        /// Whether it downloads on metered networks too. Default: false.
        public var fetchesMetered = false
        /// The number of simultaneous transfers. Nil for the default of ``DownloadSettings``.
        public var parallel: Int?
        /// The secret store. Default: automatic.
        public var secrets = SecretStorageChoice.automatic
        /// The absolute path of the key file of a sealed secret store. Nil for the default.
        public var secretsKey: String?

        /// Creates options with the default values.
        public init() {}
    }

    /// How long a started program runs, and what starts it again.
    public enum Lifetime: Sendable, Hashable {
        /// A user service that also runs while the person is signed out of the machine.
        case always
        /// A user service that pauses while the person is signed out of the machine.
        case whileSignedIn
        /// A process that the desktop starts again at the next sign-in.
        case desktop

        /// A sentence about the lifetime, for people.
        public var sentence: String {
            switch self {
            case .always: "After a restart of the machine this continues automatically."
            case .whileSignedIn:
                "This pauses while you are signed out of this machine, and continues when you sign in."
            case .desktop:
                "After a crash or a restart of the machine this continues when you sign in to your desktop."
            }
        }
    }

    /// The name of the unit of the service.
    package let name: String
    /// The path of the file with the output of the program. Nil when there is no folder for it.
    package let log: String?
    private let work: Work
    private let options: Options
    private let environment: [String: String]

    /// Describes the service without starting it.
    ///
    /// - Parameters:
    ///   - work: What runs in the background.
    ///   - options: Options of the program.
    ///   - environment: The environment variables that locate accounts, programs and the services of the desktop.
    public init(
        _ work: Work, options: Options = Options(),
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.work = work
        self.options = options
        self.environment = environment
        name = work == .queue ? "latchstring-downloads" : "latchstring-follow"
        let log = work == .queue ? "downloads.log" : "follow.log"
        self.log = (try? Folders(environment: environment)).map { $0.state + "/" + log }
    }

    /// Whether the unit file of the service exists.
    public var isInstalled: Bool { unit.exists }

    /// The proxy variables that the program does not get, because they contain a password that other users could read
    /// there. Store such a proxy with the account.
    public var excludedVariables: [String] { ServiceEnvironment(environment).excluded }

    /// Starts the program. The system or the desktop starts it again, until it has finished its work.
    ///
    /// The secret store must be open or need no passphrase, because nobody is asked in the background.
    ///
    /// - Returns: How long the program runs.
    /// - Throws: `LatchError.Code.backgroundFailed` when the program is missing or does not start. Nothing starts by
    ///   itself later then.
    @discardableResult
    public func start() async throws(LatchError) -> Lifetime {
        let folders = try Folders(environment: environment)
        guard let log else { throw LatchError(.backgroundFailed, "Could not find the folder for the log.") }
        let words = try words()
        try? FileManager.default.createDirectory(
            atPath: folders.state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let variables = ServiceEnvironment(environment).variables
        do throws(DesktopError) {
            let settings = variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            try entry.write(
                (settings.isEmpty ? [] : ["/usr/bin/env"] + settings) + words + ["--background"], title: title)
            let program = BackgroundProgram(
                words, as: unit, description: title, environment: variables, log: log)
            let supervisor = try await program.start(on: environment, waitingIn: folders.callbacks)
            guard supervisor == .service else { return .desktop }
            // Only one of the two may start it again.
            entry.remove()
            return Lingering.isOn ? .always : .whileSignedIn
        } catch {
            // The start failed, so nothing may start by itself later.
            remove()
            throw LatchError(.backgroundFailed, error.message, cause: error)
        }
    }

    /// Removes the service and the autostart entry, so that nothing starts by itself any more. A running program
    /// continues.
    public func remove() {
        entry.remove()
        unit.remove()
    }

    /// Removes them when no file of the queue waits any more. Otherwise a service with nothing to do would start at
    /// every sign-in.
    public func remove(ifDone queue: DownloadQueue) async {
        if let progress = try? await queue.progress(), progress.open == 0 { remove() }
    }

    private var title: String { work == .queue ? "Latchstring downloads" : "Latchstring: new pictures" }
    private var entry: LoginEntry { LoginEntry(name, environment: environment) }
    private var unit: ServiceFile { ServiceFile(name, environment: environment) }

    /// Returns the command line of the program. The folders of files and their layouts are stored with the queue and
    /// with the followed libraries.
    private func words() throws(LatchError) -> [String] {
        // In the background there is no person who could retry after an outage.
        let program = if let program = options.program { program } else { try ServiceProgram.path(environment) }
        var words = [program, "download", "--keep-trying"]
        if work == .following { words.append("--follow") }
        if options.secrets != .automatic { words += ["--secrets", options.secrets.rawValue] }
        if let key = options.secretsKey { words += ["--secrets-key", key] }
        if options.fetchesMetered { words.append("--metered") }
        if let parallel = options.parallel { words += ["--parallel", "\(parallel)"] }
        return words
    }
}
