import LatchKit
import Terminal

/// Asks a person for a new password and changes it at the server. `latch login` uses it too when the server requires a
/// new password.
struct NewPassword {
    let account: Account
    let context: CommandContext

    /// Asks for the current password, unless the server forces the change, and twice for the new one.
    func ask() async throws -> PasswordChange {
        let host = account.serverURL.authority
        let instead = "Give both on standard input: --password-stdin"
        let isForced = account.mustChangePassword
        let current =
            isForced
            ? nil
            : try await context.prompter.askSecret(
                "Current password of \(account.userEmail) at \(host)", instead: instead)
        // The rule helps the person, but a failure to get it is no reason to stop.
        let rule = try? await context.client().server(of: account).features.passwordRule
        if let text = rule?.sentence { context.console.printMessage(text) }
        let new = try await context.prompter.askSecret("New password", instead: instead)
        if let problem = rule?.problem(of: new) {
            throw LatchError(.weakPassword, "\(problem) Nothing was changed.")
        }
        let again = try await context.prompter.askSecret("Repeat the new password", instead: instead)
        guard new == again else {
            throw LatchError(.invalidInput, "The two new passwords differ. Nothing was changed.")
        }
        return PasswordChange(current: current, new: new, isForced: isForced)
    }

    /// Checks the passwords and changes the password at the server.
    func change(to change: PasswordChange) async throws {
        for secret in [change.current, change.new].compactMap(\.self) {
            _ = try PasswordText.checked(secret, otherwise: "Nothing was changed.")
        }
        try await context.client().changePassword(change, of: account)
    }

    /// Changes the password after a sign-in, if the server requires it. Without a terminal, prints the command to run.
    func afterSignIn() async throws {
        guard account.mustChangePassword else { return }
        guard context.prompter.isAvailable else {
            return context.console.warn(
                "\(account.serverURL) requires a new password before anything else. Run: latch password "
                    + account.userEmail.forShell)
        }
        context.console.printMessage("\(account.serverURL) requires a new password before anything else.")
        try await change(to: try await ask())
        context.console.printMessage("The password was changed.")
    }
}
