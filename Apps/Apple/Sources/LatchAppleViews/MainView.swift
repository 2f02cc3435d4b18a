// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchKit
import LatchScreens
import SwiftUI

/// The app of a signed-in account.
struct MainView: View {
    let app: AppScreen
    let screen: MainScreen
    @State private var lockError: String?

    var body: some View {
        List {
            if let reason = screen.offlineReason { Text(reason) }
            if screen.hasCertificateProblem {
                Button(AppScreen.Text.checkCertificate) { app.signInAgain() }
            }
            Text(screen.name)
            ScreenLink(title: AccountScreen.Text.title) {
                screen.accountScreen()
            } content: {
                AccountView(screen: $0)
            }
            if screen.hasLibrary {
                ScreenLink(title: LibraryScreen.Text.title) {
                    screen.makeLibraryScreen()
                } content: {
                    LibraryView(screen: $0, downloads: screen.makeDownloadsScreen, app: app)
                }
            }
            ScreenLink(title: DownloadsScreen.Text.title) {
                screen.makeDownloadsScreen()
            } content: {
                DownloadsView(screen: $0, app: app)
            }
            if let accounts = app.accounts {
                NavigationLink(AccountsScreen.Text.title) { AccountsView(screen: accounts) }
            }
            SettingsLink(title: AppScreen.Text.settings, app: app)
            if app.canLock { Button(LockSettingsScreen.Text.lockNow) { lock() } }
            if let lockError { Text(lockError) }
            ScreenLink(title: LogScreen.Text.title) {
                app.log()
            } content: {
                LogView(screen: $0)
            }
            NavigationLink(AppScreen.Text.about) { AboutView() }
        }
        .navigationTitle(screen.account.serverURL.url)
    }

    private func lock() {
        do { try app.lock() } catch { lockError = ScreenError(error).message }
    }
}
