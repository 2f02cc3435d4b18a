// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchKit
import LatchScreens
import SwiftUI

/// The lock of this device.
struct LockSettingsView: View {
    @State var screen: LockSettingsScreen

    var body: some View {
        Form {
            Text(LockSettingsScreen.Text.advice)
            if screen.hasPIN { SecureField(LockSettingsScreen.Text.current, text: $screen.current) }
            SecureField(LockSettingsScreen.Text.new, text: $screen.new)
            SecureField(LockSettingsScreen.Text.again, text: $screen.again).onSubmit { screen.savePIN() }
            Button(screen.hasPIN ? LockSettingsScreen.Text.change : LockSettingsScreen.Text.set) { screen.savePIN() }
            Button(LockSettingsScreen.Text.useSystem) { screen.useSystem() }
            ErrorText(error: screen.error)
            if let settings = screen.settings {
                Toggle(
                    LockSettingsScreen.Text.continuesDownloads,
                    isOn: Binding { @MainActor in
                        settings.continuesDownloads
                    } set: { @MainActor in
                        screen.change(continuesDownloads: $0)
                    })
                Button(LockSettingsScreen.Text.lockNow) { screen.lockNow() }
                Button(LockSettingsScreen.Text.remove, role: .destructive) { screen.remove() }
            }
        }
        .navigationTitle(LockSettingsScreen.Text.title)
        .task { @MainActor in await screen.run() }
    }
}
