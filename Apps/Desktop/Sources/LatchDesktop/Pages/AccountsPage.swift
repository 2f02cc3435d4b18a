import LatchScreens
import Widgets

/// The accounts of this device.
@MainActor
final class AccountsPage {
    private let screen: AccountsScreen
    private let list = Stacked.column()
    private let error = ErrorLabel()
    private let warnings = Label()
    private let spinner = Spinner(AccountsScreen.Text.signOut)
    private let signOutOfAll: Button
    private var shown: [AccountsScreen.Row]?
    private let dialog = ConfirmationDialog()

    /// Makes the page.
    static func page(_ screen: AccountsScreen) -> Page {
        let owner = AccountsPage(screen)
        let add = Button.suggested(AccountsScreen.Text.add) { screen.add() }
        var page = Page(
            AccountsScreen.Text.title, owner: owner,
            Page.form(
                width: 600, isCentered: false, owner.error, owner.warnings, owner.list, owner.spinner, add,
                owner.signOutOfAll))
        page.focus = add
        return page
    }

    private init(_ screen: AccountsScreen) {
        self.screen = screen
        signOutOfAll = .flat(AccountsScreen.Text.signOutOfAll) { screen.askToSignOutOfAll() }
        observing(self) { $0.draw() }
    }

    private func draw() {
        error.text = screen.error?.message
        warnings.text = screen.warnings.joined(separator: "\n")
        warnings.isVisible = !screen.warnings.isEmpty
        signOutOfAll.isVisible = screen.rows.count > 1
        if case .signingOut = screen.state { spinner.isSpinning = true } else { spinner.isSpinning = false }
        drawRows()
        dialog.show(screen.question, above: list) { [screen] in
            screen.confirm()
        } cancel: { [screen] in
            screen.cancel()
        }
    }

    private func drawRows() {
        guard screen.rows != shown else { return }
        shown = screen.rows
        list.removeAll()
        if !screen.rows.isEmpty { list.append(Group(nil, screen.rows.map(row))) }
    }

    private func row(_ account: AccountsScreen.Row) -> any Element {
        let row = ActionRow(
            account.name,
            subtitle: ([account.email, account.server, account.status]
                + (account.isActive ? [] : [DateText.lastUsed(account.lastUsed)])).joined(separator: "\n"))
        let screen = screen
        if account.isActive {
            row.suffix(Label.note(AccountsScreen.Text.active))
        } else {
            let use = Button(AccountsScreen.Text.use) { screen.use(account.id) }
            row.suffix(use.named(account.useName))
        }
        let signOut = Button(icon: "system-log-out-symbolic", name: AccountsScreen.Text.signOut) {
            screen.askToSignOut(of: account.id)
        }
        row.suffix(signOut.styled("flat").described("\(account.email), \(account.server)"))
        return row
    }
}
