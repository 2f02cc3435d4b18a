import Arguments
import LatchKit
import Terminal

/// `latch lock`: locks this device at once.
struct LockDevice: ExecutableCommand {
    static let command = Command<Request>(
        "lock", "Lock the accounts of this device at once.",
        discussion: """
            Afterwards every command that needs an account asks for the PIN of this device, or for the system's \
            authentication, as 'latch pin local set' sets it. Sessions stay signed in. Running downloads continue unless they are set to stop.
            """
    ) { given in Request(given, LockDevice()) }

    var finishesUnfinished: Bool { false }

    func perform(in context: CommandContext) async throws -> ExitCode {
        let lock = try await context.client().lock
        guard try lock.state != .none else { throw LocalPIN.noLock }
        try lock.lock()
        try LocalPIN.show(lock, in: context)
        return .done
    }
}

/// `latch unlock`: unlocks this device.
struct UnlockDevice: ExecutableCommand {
    static let command = Command<Request>(
        "unlock", "Unlock the accounts of this device with its PIN or the system's authentication.",
        discussion: """
            The accounts stay unlocked for all programs until the time without use is over, the session is locked or \
            the machine is suspended while a download runs, or 'latch lock' is run.
            """,
        arguments: [LocalPIN.fromInput]
    ) { given in Request(given, UnlockDevice(readsInput: given[LocalPIN.fromInput])) }

    let readsInput: Bool
    var isNonInteractive: Bool { readsInput }

    func perform(in context: CommandContext) async throws -> ExitCode {
        let lock = try await context.client().lock
        guard try lock.state != .none else { throw LocalPIN.noLock }
        try await context.secrets().open()
        if readsInput {
            try LocalPIN.requirePIN(lock)
            try await lock.unlock(with: try await StandardInput.firstLine(as: "--pin-stdin", "PIN"))
        } else {
            try await context.unlock()
        }
        try LocalPIN.show(lock, in: context)
        return .done
    }
}
