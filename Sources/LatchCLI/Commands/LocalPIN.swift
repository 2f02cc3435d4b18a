import Arguments
import Crypto
import HTTPMessages
import LatchKit
import Terminal

/// `latch pin local`: manages the PIN of this device, and the system's authentication.
struct LocalPIN: ExecutableCommand {
    enum Action: String, Sendable { case status, set, change, remove }

    static let fromInput = Flag(
        "pin-stdin",
        help: "Read the PINs from standard input, one per line in the order of the prompts, and do not prompt.")
    private static let forgotten = Flag(
        "forgotten",
        help: "Remove the lock without the PIN or the authentication, and delete the secrets of all accounts.")
    private static let system = Flag(
        "system-authentication",
        help: "The authentication of the system (polkit: password, fingerprint) instead of a PIN or beside it.")
    private static let onlySystem = Flag(
        "system-authentication", help: "Remove the system's authentication. A PIN remains and must be entered.")
    private static let idle = Option<Int>(
        "lock-after", value: "SECONDS", defaultText: "300, or as before",
        help: "Lock after this time without use: 10 to 86400 seconds.")
    private static let downloads = Option<DownloadsWhileLocked>(
        "downloads", value: "WHAT", defaultText: "continue, or as before",
        help: "Whether downloads that run continue or stop while the device is locked.")

    static let command = Command<Request>(
        "local", "Set, change and remove the lock of this device.",
        discussion: """
            With a PIN, the secrets of all accounts in the secret store are sealed, and commands ask for the PIN: six \
            digits or more, or a text of eight characters or more. After the third wrong try the next one must wait. \
            After ten wrong tries the secrets are deleted, and you must sign in to every account again.

            With --system-authentication the system asks instead, for your password or a fingerprint. If there is a PIN \
            too, either is enough.
            """,
        commands: [
            Command("status", "Show what unlocks this device, and whether it is locked.") { given in
                Request(given, LocalPIN(action: .status))
            },
            make(.set, "Set the PIN of this device, or the system's authentication.", [system, idle, downloads]) {
                given in
                LocalPIN(action: .set, usesSystem: given[system], seconds: given[idle], downloads: given[downloads])
            },
            make(.change, "Change the PIN or the settings of this device.", [idle, downloads]) { given in
                LocalPIN(action: .change, seconds: given[idle], downloads: given[downloads])
            },
            make(.remove, "Remove the lock of this device.", [onlySystem, forgotten]) { given throws(ArgumentError) in
                if given[onlySystem], given[forgotten] {
                    throw given.usageError("--system-authentication and --forgotten cannot be combined")
                }
                return LocalPIN(action: .remove, usesSystem: given[onlySystem], isForgotten: given[forgotten])
            },
        ])

    private static func make(
        _ action: Action, _ summary: String, _ more: [any ParameterDeclaring],
        _ command: @escaping @Sendable (Invocation) throws(ArgumentError) -> LocalPIN
    ) -> Command<Request> {
        Command(action.rawValue, summary, arguments: more + [fromInput]) { given throws(ArgumentError) in
            var command = try command(given)
            command.readsInput = given[fromInput]
            return Request(given, command)
        }
    }

    let action: Action
    var usesSystem = false
    var seconds: Int?
    var downloads: DownloadsWhileLocked?
    var isForgotten = false
    var readsInput = false

    var isNonInteractive: Bool { readsInput }

    func perform(in context: CommandContext) async throws -> ExitCode {
        let lock = try await context.client().lock
        if action != .status { try await context.secrets().open() }
        switch action {
        case .status: break
        case .set: try await set(lock, context)
        case .change: try await change(lock, context)
        case .remove: try await remove(lock, context)
        }
        try Self.show(lock, in: context)
        return .done
    }

    /// Sets the PIN or the system's authentication, also besides the other.
    private func set(_ lock: DeviceLock, _ context: CommandContext) async throws {
        let (methods, settings) = (try lock.methods, try lock.settings)
        guard !methods.contains(usesSystem ? .system : .pin) else {
            throw LatchError(
                .invalidInput,
                usesSystem
                    ? "The system's authentication unlocks this device already."
                    : "This device has a PIN already. To change it: latch pin local change")
        }
        if usesSystem { try await lock.requireProtectedStore() }
        switch (usesSystem, settings) {
        case (true, nil): try await lock.set(context.systemAuthentication, settings: changed(DeviceLock.Settings()))
        case (false, nil): try await lock.set(try await newPIN(context), settings: changed(DeviceLock.Settings()))
        case (true, _):
            let pin = try await secret(Self.question, context)
            try await lock.addSystemAuthentication(context.systemAuthentication, with: pin)
        case (false, _): try await lock.addPIN(try await newPIN(context), with: context.systemAuthentication)
        }
        if let settings, changesSettings { try await lock.changeSettings(changed(settings)) }
    }

    /// Changes the settings if there are any, otherwise the PIN.
    private func change(_ lock: DeviceLock, _ context: CommandContext) async throws {
        guard let settings = try lock.settings else { throw Self.noLock }
        guard try changesSettings || lock.methods.contains(.pin) else {
            throw LatchError(.invalidInput, "This device has no PIN. To set one: latch pin local set")
        }
        guard changesSettings else {
            let pin = try await secret(Self.question, context)
            return try await lock.change(from: pin, to: try await newPIN(context))
        }
        try await authenticate(lock, context, system: { try await lock.unlock(with: $0) }, pin: lock.unlock)
        try await lock.changeSettings(changed(settings))
    }

    private func remove(_ lock: DeviceLock, _ context: CommandContext) async throws {
        do {
            guard try lock.settings != nil else { throw Self.noLock }
        } catch let error as LatchError where isForgotten && error.code == .secretStoreDamaged {
            // A lock that cannot be read can still be removed.
        }
        guard !isForgotten else { return try await lock.forget() }
        let methods = try lock.methods
        if usesSystem, !methods.contains(.system) {
            throw LatchError(
                .invalidInput, "The system's authentication does not unlock this device. Nothing was removed.")
        }
        if usesSystem, methods.contains(.pin) {
            return try await lock.removeSystemAuthentication(with: try await secret(Self.question, context))
        }
        try await authenticate(lock, context, system: { try await lock.remove(with: $0) }, pin: lock.remove)
    }

    /// Does something with the system's authentication where it is set and available, otherwise with the PIN.
    private func authenticate(
        _ lock: DeviceLock, _ context: CommandContext, system: (SystemAuthentication) async throws -> Void,
        pin: (Secret) async throws -> Void
    ) async throws {
        if !readsInput, try await context.withSystemAuthentication(lock, system) { return }
        try Self.requirePIN(lock)
        try await pin(try await secret(Self.question, context))
    }

    static let noLock = LatchError(.invalidInput, "This device has no lock. To set a PIN: latch pin local set")

    /// Refuses `--pin-stdin` where only the system's authentication unlocks.
    static func requirePIN(_ lock: DeviceLock) throws {
        if try lock.methods.contains(.pin) { return }
        throw LatchError(
            .invalidInput,
            "This device has no PIN: the system's authentication unlocks it. Run the command without --pin-stdin.")
    }

    private static let question = "PIN of this device"
    private var changesSettings: Bool { seconds != nil || downloads != nil }

    private func changed(_ settings: DeviceLock.Settings) -> DeviceLock.Settings {
        var settings = settings
        settings.idleSeconds = seconds ?? settings.idleSeconds
        settings.continuesDownloads = downloads.map { $0 == .continue } ?? settings.continuesDownloads
        return settings
    }

    private func newPIN(_ context: CommandContext) async throws -> Secret {
        let new = try await secret("New PIN of this device (six digits or more)", context)
        try DeviceLock.check(new)
        guard !readsInput else { return new }
        guard try await secret("Repeat the new PIN", context) == new else {
            throw LatchError(.invalidInput, "The two PINs differ. Nothing was changed.")
        }
        return new
    }

    private func secret(_ question: String, _ context: CommandContext) async throws -> Secret {
        readsInput
            ? try await StandardInput.firstLine(as: "--pin-stdin", "PIN")
            : try await context.prompter.askSecret(question, instead: "Give it on standard input: --pin-stdin")
    }

    /// Prints the state of the lock.
    static func show(_ lock: DeviceLock, in context: CommandContext) throws {
        let (state, methods) = (try lock.state, try lock.methods)
        let words = DeviceLock.Method.allCases.filter(methods.contains)
        try context.console.result(
            [sentence(state, methods)],
            json: ["lock": .string(state.rawValue), "methods": .array(words.map { .string($0.rawValue) })])
    }

    private static func sentence(_ state: DeviceLock.State, _ methods: Set<DeviceLock.Method>) -> String {
        switch (state, methods) {
        case (.none, _): "This device has no lock."
        case (.locked, [.pin]): "This device is locked."
        case (.locked, [.system]): "This device is locked. The system's authentication unlocks it."
        case (.locked, _): "This device is locked. The system's authentication or the PIN unlocks it."
        case (.unlocked, [.pin]): "This device has a PIN. It is unlocked."
        case (.unlocked, [.system]): "This device uses the system's authentication. It is unlocked."
        case (.unlocked, _): "This device has a PIN and uses the system's authentication. It is unlocked."
        }
    }
}

/// The words of `--downloads`.
enum DownloadsWhileLocked: String, CaseIterable, ArgumentValue {
    case `continue`
    case stop
}
