// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchKit
import LatchScreens
import SwiftUI

/// The app of a signed-in account.
struct MainView: View {
    let app: AppScreen
    let screen: MainScreen

    var body: some View {
        List {
            if let reason = screen.offlineReason { Text(reason) }
            if screen.hasCertificateProblem {
                Button(AppScreen.Text.checkCertificate) { app.signInAgain() }
            }
            Text(screen.name)
            NavigationLink(AccountScreen.Text.title) { AccountView(screen: screen.accountScreen()) }
            NavigationLink(DownloadsScreen.Text.title) { DownloadsView(screen: screen.makeDownloadsScreen()) }
            if let accounts = app.accounts {
                NavigationLink(AccountsScreen.Text.title) { AccountsView(screen: accounts) }
            }
            if let settings = app.lockSettings() {
                NavigationLink(LockSettingsScreen.Text.title) { LockSettingsView(screen: settings) }
            }
            if app.canLock { Button(LockSettingsScreen.Text.lockNow) { app.lock() } }
            if let log = app.log() {
                NavigationLink(LogScreen.Text.title) { LogView(screen: log) }
            }
            Section(AboutScreen.name) {
                Text(AboutScreen.summary)
                Text(AboutScreen.version)
            }
        }
        .navigationTitle(screen.account.serverURL.url)
    }
}
