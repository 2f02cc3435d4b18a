// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchScreens
import SwiftUI

/// The question before a download: how many files and bytes, the folder, and whether to follow the library.
struct LibraryDownloadView: View {
    @Bindable var screen: LibraryDownloadScreen
    let downloads: @MainActor () -> DownloadsScreen
    let app: AppScreen

    var body: some View {
        Form {
            switch screen.state {
            case .counting(let sentence), .adding(let sentence):
                ProgressView(sentence)
                choices
            case .ready(let summary):
                Text(summary.sentence)
                ErrorText(error: summary.spaceError)
                choices
                Button(LibraryDownloadScreen.Text.download) { screen.confirm() }
                    .disabled(!summary.canDownload && !screen.follows)
            case .failed(let error):
                ErrorText(error: error)
                choices
            case .added(let sentence):
                Text(sentence)
                ScreenLink(title: DownloadsScreen.Text.title) {
                    downloads()
                } content: {
                    DownloadsView(screen: $0, app: app)
                }
            }
            Button(isAdded ? LibraryDownloadScreen.Text.done : LibraryDownloadScreen.Text.cancel, role: .cancel) {
                screen.cancel()
            }
        }
        .navigationTitle(LibraryDownloadScreen.Text.title)
    }

    @ViewBuilder private var choices: some View {
        LabeledContent(DownloadSettingsScreen.Text.folder, value: screen.folder ?? "")
        if screen.canChangeFolder {
            FolderButton(title: LibraryDownloadScreen.Text.changeFolder) { screen.change(folder: $0) }
        }
        if screen.canFollow { Toggle(LibraryDownloadScreen.Text.follow, isOn: $screen.follows) }
    }

    private var isAdded: Bool { if case .added = screen.state { true } else { false } }
}
