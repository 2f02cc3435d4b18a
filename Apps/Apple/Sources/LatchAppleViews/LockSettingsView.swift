// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchKit
import LatchScreens
import SwiftUI

/// The lock of this device.
struct LockSettingsView: View {
    @Bindable var screen: LockSettingsScreen

    var body: some View {
        Section(LockSettingsScreen.Text.title) {
            Text(LockSettingsScreen.Text.advice)
            if screen.hasPIN { SecureField(LockSettingsScreen.Text.current, text: $screen.current) }
            SecureField(LockSettingsScreen.Text.new, text: $screen.new)
            SecureField(LockSettingsScreen.Text.again, text: $screen.again).onSubmit { screen.savePIN() }
            ErrorText(error: screen.error)
            if screen.state == .working { ProgressView() }
            Button(screen.hasPIN ? LockSettingsScreen.Text.change : LockSettingsScreen.Text.set) { screen.savePIN() }
            if !screen.methods.contains(.system) {
                Button(LockSettingsScreen.Text.useSystem) { screen.useSystem() }
            }
            if let settings = screen.settings { choices(settings) }
        }
        .task { @MainActor in await screen.run() }
    }

    @ViewBuilder private func choices(_ settings: DeviceLock.Settings) -> some View {
        Picker(
            LockSettingsScreen.Text.idle,
            selection: Binding { @MainActor in
                settings.idleSeconds
            } set: { @MainActor in
                screen.change(idleSeconds: $0)
            }
        ) {
            ForEach(screen.idleTimes, id: \.seconds) { Text($0.title).tag($0.seconds) }
        }
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
