import Arguments
import Crypto
import HTTPMessages
import LatchKit
import Terminal

/// `latch pin`: manages the PIN of a server that has one, and locks and unlocks with it.
struct ChangePIN: ExecutableCommand {
    enum Action: String, Sendable { case status, set, change, remove, unlock, lock }

    private static let fromInput = Flag(
        "pin-stdin",
        help: "Read the answers from standard input, one per line in the order of the prompts, and do not prompt.")
    private static let byPassword = Flag(
        "by-password", help: "Prove your identity with the password instead of the PIN.")

    static let command = Command<Request>(
        "pin", "Set, change, remove and use your PIN on a server that supports PINs, or of this device.",
        discussion: """
            A PIN of six digits (four or five on some servers) protects a part of your data on the server, such as \
            Immich's locked folder. 'latch pin local' manages the PIN of this device instead. Unlocking applies only to this session and for a short time, 15 minutes with \
            Immich. The PIN is read without echo. It is never an argument, and it is not stored.
            """,
        commands: [
            make(.status, "Show whether there is a PIN, and whether this session is unlocked."),
            make(.set, "Set the first PIN.", asks: true),
            make(.change, "Change the PIN.", asks: true, proves: true),
            make(.remove, "Remove the PIN, and lock every session.", asks: true, proves: true),
            make(.unlock, "Unlock the protected data for this session.", asks: true),
            make(.lock, "Lock the protected data again."),
            LocalPIN.command,
        ])

    private static func make(
        _ action: Action, _ summary: String, asks: Bool = false, proves: Bool = false
    ) -> Command<Request> {
        let flags = (proves ? [byPassword] : []) + (asks ? [fromInput] : [])
        return Command(action.rawValue, summary, arguments: flags + [AccountOption.option]) { given in
            Request(
                given,
                ChangePIN(
                    action: action, selector: given[AccountOption.option], readsInput: asks && given[fromInput],
                    isByPassword: proves && given[byPassword]))
        }
    }

    let action: Action
    let selector: String?
    let readsInput: Bool
    let isByPassword: Bool

    var isNonInteractive: Bool { readsInput }

    func perform(in context: CommandContext) async throws -> ExitCode {
        let (account, _) = try await context.session(selector)
        let client = try await context.client()
        try client.requirePIN(of: account)
        if let requestedChange = try await requestedChange(account, context) {
            try await client.perform(requestedChange, of: account)
        }
        let state = try await client.pinState(of: account)
        try context.console.result([line(state, account)], json: Self.json(state))
        return .done
    }

    private func requestedChange(_ account: Account, _ context: CommandContext) async throws -> PINAction? {
        let place = account.serverURL.authority
        switch action {
        case .status: return nil
        case .lock: return .lock
        case .unlock: return .unlock(try await pin("PIN at \(place)", context))
        case .set: return .set(try await newPIN(place, context))
        case .change:
            let proof = try await proof(place, context)
            return .change(to: try await newPIN(place, context), proof)
        case .remove: return .remove(try await proof(place, context))
        }
    }

    private func proof(_ place: String, _ context: CommandContext) async throws -> PINProof {
        guard isByPassword else { return .pin(try await pin("PIN at \(place)", context)) }
        return .password(try await secret("Password at \(place)", context))
    }

    private func newPIN(_ place: String, _ context: CommandContext) async throws -> PIN {
        let new = try await pin("New PIN at \(place) (six digits)", context)
        guard !readsInput else { return new }
        guard try await pin("Repeat the new PIN", context).digits == new.digits else {
            throw LatchError(.invalidInput, "The two PINs differ. Nothing was sent.")
        }
        return new
    }

    private func pin(_ question: String, _ context: CommandContext) async throws -> PIN {
        try PIN(try await secret(question, context))
    }

    private func secret(_ question: String, _ context: CommandContext) async throws -> Secret {
        readsInput
            ? try await StandardInput.firstLine(as: "--pin-stdin", "PIN")
            : try await context.prompter.askSecret(question, instead: "Give it on standard input: --pin-stdin")
    }

    private func line(_ state: PINState, _ account: Account) -> String {
        let place = "at \(account.serverURL)"
        guard state.isSet else { return "There is no PIN \(place)." }
        let until = state.unlockedUntil.map { " until \($0.forPeople)" } ?? ""
        let lock = state.isUnlocked ? "This session is unlocked\(until)." : "This session is locked."
        return "There is a PIN \(place). \(lock)"
    }

    private static func json(_ state: PINState) -> JSONValue {
        .object([
            .init("isSet", .bool(state.isSet)), .init("isUnlocked", .bool(state.isUnlocked)),
            .init("unlockedUntil", state.unlockedUntil.map { .string($0.forPrograms) } ?? .null),
        ])
    }
}
