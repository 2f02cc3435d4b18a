// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchScreens
import SwiftUI

/// Waits for the sign-in in the browser.
struct BrowserView: View {
    @Bindable var screen: BrowserScreen

    var body: some View {
        Form {
            ProgressView(BrowserScreen.Text.advice)
            ForEach(screen.messages, id: \.self) { Text($0).foregroundStyle(.red) }
            if let error = screen.linkError { Text(error).foregroundStyle(.red) }
            if let address = screen.address {
                Button(BrowserScreen.Text.openAgain) { screen.openAgain() }
                ShareLink(BrowserScreen.Text.otherDevice, item: address)
                if let code = screen.code { CodeView(code: code) }
                Text(BrowserScreen.Text.otherDeviceAdvice)
                TextField(BrowserScreen.Text.link, text: $screen.link).onSubmit { screen.useLink() }
                Button(BrowserScreen.Text.useLink) { screen.useLink() }.disabled(screen.link.isEmpty)
            }
            Button(BrowserScreen.Text.cancel, role: .cancel) { screen.cancel() }
        }
        .navigationTitle(BrowserScreen.Text.title)
    }
}
