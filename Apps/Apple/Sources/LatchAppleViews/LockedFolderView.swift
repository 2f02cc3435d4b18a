// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchKit
import LatchScreens
import SwiftUI

/// The locked folder: asks for the PIN, and downloads the files (IM-15).
struct LockedFolderView: View {
    @Bindable var screen: LockedFolderScreen

    var body: some View {
        Form {
            switch screen.state {
            case .working(let sentence): ProgressView(sentence)
            case .noPIN(let sentence), .done(let sentence): Text(sentence)
            case .locked(let error):
                Text(LockedFolderScreen.Text.advice)
                SecureField(LockedFolderScreen.Text.pin, text: $screen.pin).onSubmit { screen.unlock() }
                ErrorText(error: error)
                Button(LockedFolderScreen.Text.unlock) { screen.unlock() }.disabled(screen.pin.isEmpty)
            case .unlocked(let summary):
                Text(summary.sentence)
                ErrorText(error: summary.spaceError)
                Button(LockedFolderScreen.Text.download) { screen.download() }.disabled(!summary.canDownload)
                Button(LockedFolderScreen.Text.lock) { screen.lock() }
            case .downloading(let sentence):
                ProgressView(sentence)
                Button(LockedFolderScreen.Text.lock) { screen.lock() }
            }
        }
    }
}
