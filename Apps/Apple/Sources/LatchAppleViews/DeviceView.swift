// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchScreens
import SwiftUI

/// Waits for the sign-in on another device.
struct DeviceView: View {
    let screen: DeviceScreen

    var body: some View {
        Form {
            ProgressView(DeviceScreen.Text.advice)
            if let problem = screen.problem { Text(problem).foregroundStyle(.red) }
            if let address = screen.address, let userCode = screen.userCode {
                Text(address)
                Text(userCode)
                if let code = screen.code { CodeView(code: code) }
                ShareLink(DeviceScreen.Text.copyAddress, item: address)
            }
            Button(DeviceScreen.Text.cancel, role: .cancel) { screen.cancel() }
        }
        .navigationTitle(DeviceScreen.Text.title)
    }
}
