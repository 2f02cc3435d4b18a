// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchScreens
import SwiftUI

/// What a person can do about a download that waits or failed.
struct DownloadActionView: View {
    let action: DownloadAction
    let app: AppScreen
    let retry: @MainActor () -> Void

    var body: some View {
        switch action {
        case .retry: Button(action.title) { retry() }
        case .signIn, .changePassword:
            if let accounts = app.accounts {
                NavigationLink(action.title) { AccountsView(screen: accounts) }
            }
        case .chooseFolder, .allowMetered: SettingsLink(title: action.title, app: app)
        }
    }
}
