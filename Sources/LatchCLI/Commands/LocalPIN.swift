import Arguments
import Crypto
import HTTPMessages
import LatchKit
import Terminal

/// `latch pin local`: manages the PIN of this device.
struct LocalPIN: ExecutableCommand {
    enum Action: String, Sendable { case status, set, change, remove }

    static let fromInput = Flag(
        "pin-stdin",
        help: "Read the PINs from standard input, one per line in the order of the prompts, and do not prompt.")
    private static let forgotten = Flag(
        "forgotten", help: "Remove the PIN without entering it, and delete the secrets of all accounts.")
    private static let idle = Option<Int>(
        "lock-after", value: "SECONDS", defaultText: "300, or as before",
        help: "Lock after this time without use: 10 to 86400 seconds.")
    private static let downloads = Option<DownloadsWhileLocked>(
        "downloads", value: "WHAT", defaultText: "continue, or as before",
        help: "Whether downloads that run continue or stop while the device is locked.")

    static let command = Command<Request>(
        "local", "Set, change and remove the PIN of this device.",
        discussion: """
            With a PIN, the secrets of all accounts in the secret store are sealed, and commands ask for the PIN: six \
            digits or more, or a text of eight characters or more. After the third wrong try the next one must wait. \
            After ten wrong tries the secrets are deleted, and you must sign in to every account again.
            """,
        commands: [
            Command("status", "Show whether there is a PIN, and whether this device is locked.") { given in
                Request(given, LocalPIN(action: .status))
            },
            make(.set, "Set the PIN of this device.", [idle, downloads]) { given in
                LocalPIN(action: .set, seconds: given[idle], downloads: given[downloads])
            },
            make(.change, "Change the PIN or the settings of this device.", [idle, downloads]) { given in
                LocalPIN(action: .change, seconds: given[idle], downloads: given[downloads])
            },
            make(.remove, "Remove the PIN of this device.", [forgotten]) { given in
                LocalPIN(action: .remove, isForgotten: given[forgotten])
            },
        ])

    private static func make(
        _ action: Action, _ summary: String, _ more: [any ParameterDeclaring],
        _ command: @escaping @Sendable (Invocation) -> LocalPIN
    ) -> Command<Request> {
        Command(action.rawValue, summary, arguments: more + [fromInput]) { given in
            var command = command(given)
            command.readsInput = given[fromInput]
            return Request(given, command)
        }
    }

    let action: Action
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
        case .remove:
            if isForgotten {
                try await lock.forget()
            } else {
                try await lock.remove(with: try await secret("PIN of this device", context))
            }
        }
        let state = try lock.state
        try context.console.result([Self.sentence(state)], json: Self.json(state))
        return .done
    }

    private func set(_ lock: DeviceLock, _ context: CommandContext) async throws {
        guard try lock.state == .none else {
            throw LatchError(.invalidInput, "This device has a PIN already. To change it: latch pin local change")
        }
        try await lock.set(try await newPIN(context), settings: changed(DeviceLock.Settings()))
    }

    /// Changes the settings if there are any, otherwise the PIN.
    private func change(_ lock: DeviceLock, _ context: CommandContext) async throws {
        guard let settings = try lock.settings else {
            throw LatchError(.invalidInput, "This device has no PIN. To set one: latch pin local set")
        }
        let pin = try await secret("PIN of this device", context)
        guard seconds != nil || downloads != nil else {
            return try await lock.change(from: pin, to: try await newPIN(context))
        }
        try await lock.unlock(with: pin)
        try await lock.changeSettings(changed(settings))
    }

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

    /// Returns the sentence about a state.
    static func sentence(_ state: DeviceLock.State) -> String {
        switch state {
        case .none: "This device has no PIN."
        case .locked: "This device is locked."
        case .unlocked: "This device has a PIN. It is unlocked."
        }
    }

    static func json(_ state: DeviceLock.State) -> JSONValue { .object([.init("lock", .string(state.rawValue))]) }
}

/// The words of `--downloads`.
enum DownloadsWhileLocked: String, CaseIterable, ArgumentValue {
    case `continue`
    case stop
}
