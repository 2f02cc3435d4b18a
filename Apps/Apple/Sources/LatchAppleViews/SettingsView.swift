// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchKit
import LatchScreens
import SwiftUI

/// The settings of this device: of downloads and of the app lock.
struct SettingsView: View {
    let downloads: DownloadSettingsScreen
    let lock: LockSettingsScreen

    var body: some View {
        Form {
            DownloadSettingsView(screen: downloads)
            LockSettingsView(screen: lock)
        }
        .navigationTitle(AppScreen.Text.settings)
    }
}

/// A link to the settings.
struct SettingsLink: View {
    let title: String
    let app: AppScreen

    var body: some View {
        ScreenLink(title: title) {
            if let downloads = app.downloadSettings(), let lock = app.lockSettings() { (downloads, lock) } else { nil }
        } content: {
            SettingsView(downloads: $0, lock: $1)
        }
    }
}
