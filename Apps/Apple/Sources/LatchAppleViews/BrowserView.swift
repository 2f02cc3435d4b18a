// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchScreens
import SwiftUI

/// Waits for the sign-in in the browser.
struct BrowserView: View {
    @Bindable var screen: BrowserScreen

    var body: some View {
        Form {
            ProgressView(BrowserScreen.Text.advice)
            if case .waiting(_, let notice?) = screen.state { Text(text(of: notice)).foregroundStyle(.red) }
            if let address = screen.address {
                Button(BrowserScreen.Text.openAgain) { screen.openAgain() }
                ShareLink(BrowserScreen.Text.otherDevice, item: address)
                Text(BrowserScreen.Text.otherDeviceAdvice)
                TextField(BrowserScreen.Text.link, text: $screen.link).onSubmit { screen.useLink() }
                Button(BrowserScreen.Text.useLink) { screen.useLink() }.disabled(screen.link.isEmpty)
            }
            Button(BrowserScreen.Text.cancel, role: .cancel) { screen.cancel() }
        }
        .navigationTitle(BrowserScreen.Text.title)
    }

    private func text(of notice: BrowserScreen.Notice) -> String {
        switch notice {
        case .browserFailed(let reason): reason
        case .unrecognizedLink: BrowserScreen.Text.unrecognizedLink
        }
    }
}
