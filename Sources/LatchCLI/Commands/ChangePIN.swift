import Arguments
import LatchKit
import Terminal

/// `latch pin`: manages the PIN of a server that has one, and locks and unlocks with it.
struct ChangePIN: ExecutableCommand {
    enum Act: String, Sendable { case status, set, change, remove, unlock, lock }

    private static let fromInput = Flag(
        "pin-stdin",
        help: "Read from standard input what would be asked for, a line each and in that order, and ask nothing.")
    private static let byPassword = Flag("by-password", help: "Show who you are with the password in place of the PIN.")

    static let command = Command<Request>(
        "pin", "Set, change and use the PIN of a server that has one.",
        discussion: """
            A PIN of six digits, with some servers four or five, locks a part of what you have there, as Immich's locked folder. Unlocking opens it for this \
            session only and for a short while, with Immich 15 minutes. The PIN is asked for without showing it; it is \
            never an argument, and it is not kept.
            """,
        commands: [
            make(.status, "Tell whether there is a PIN, and whether this session is unlocked."),
            make(.set, "Set the first PIN.", asks: true),
            make(.change, "Set another PIN.", asks: true, proves: true),
            make(.remove, "Take the PIN away; every session is locked.", asks: true, proves: true),
            make(.unlock, "Open what is locked, for this session.", asks: true),
            make(.lock, "Lock it again."),
        ])

    private static func make(
        _ act: Act, _ summary: String, asks: Bool = false, proves: Bool = false
    ) -> Command<Request> {
        let flags = (proves ? [byPassword] : []) + (asks ? [fromInput] : [])
        return Command(act.rawValue, summary, arguments: flags + [AccountOption.option]) { given in
            Request(
                given,
                ChangePIN(
                    act: act, selector: given[AccountOption.option], readsInput: asks && given[fromInput],
                    isByPassword: proves && given[byPassword]))
        }
    }

    let act: Act
    let selector: String?
    let readsInput: Bool
    let isByPassword: Bool

    var asksNobody: Bool { readsInput }

    func perform(in context: CommandContext) async throws -> ExitCode {
        let (account, session) = try await context.session(selector)
        guard let dialect = session.dialect as? any PINDialect else {
            throw LatchError(.serverRefused, "\(account.serverURL) speaks \(session.dialect.title), which has no PIN.")
        }
        if let requestedChange = try await requestedChange(account, context) {
            try await dialect.perform(requestedChange, with: session.client)
        }
        let state = try await dialect.pinState(with: session.client)
        try context.console.result([line(state, account)], json: Self.json(state))
        return .done
    }

    private func requestedChange(_ account: Account, _ context: CommandContext) async throws -> PINAct? {
        let place = account.serverURL.authority
        switch act {
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
        guard try await pin("The same again", context).digits == new.digits else {
            throw LatchError(.invalidInput, "The two PINs are not the same. Nothing was sent.")
        }
        return new
    }

    private func pin(_ question: String, _ context: CommandContext) async throws -> PIN {
        try PIN(try await secret(question, context))
    }

    private func secret(_ question: String, _ context: CommandContext) async throws -> Secret {
        readsInput
            ? try await StandardInput.firstLine(as: "--pin-stdin", "PIN")
            : try await context.person.askSecret(question, instead: "Give it on standard input: --pin-stdin")
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
