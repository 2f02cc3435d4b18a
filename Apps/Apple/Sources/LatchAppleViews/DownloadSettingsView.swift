// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchScreens
import SwiftUI

/// The settings of downloads: the folder, the arrangement, metered networks and followed libraries (DL-11, DL-17).
struct DownloadSettingsView: View {
    @Bindable var screen: DownloadSettingsScreen

    var body: some View {
        ConfirmationSection(question: screen.question) {
            screen.confirm()
        } cancel: {
            screen.cancel()
        }
        Section(DownloadSettingsScreen.Text.title) {
            switch screen.state {
            case .opening: ProgressView()
            case .failed(let error): ErrorText(error: error)
            case .editing(let error):
                ErrorText(error: error)
                folder
                choices
            }
        }
        .task { @MainActor in await screen.run() }
        if !screen.libraries.isEmpty {
            Section(DownloadSettingsScreen.Text.following) { ForEach(screen.libraries) { row(of: $0) } }
        }
    }

    @ViewBuilder private var folder: some View {
        TextField(DownloadSettingsScreen.Text.folder, text: $screen.folderText)
            .autocorrectionDisabled()
            .onSubmit { screen.setFolder(screen.folderText) }
        FolderButton(title: DownloadSettingsScreen.Text.choose) { screen.setFolder($0) }
        if !screen.freeSpace.isEmpty {
            LabeledContent(DownloadSettingsScreen.Text.freeSpace, value: screen.freeSpace)
        }
    }

    @ViewBuilder private var choices: some View {
        Picker(
            DownloadSettingsScreen.Text.layout,
            selection: Binding { @MainActor in
                screen.layout
            } set: { @MainActor in
                screen.setLayout($0)
            }
        ) {
            ForEach(DownloadSettingsScreen.Layout.allCases, id: \.self) { Text($0.title).tag($0) }
        }
        Toggle(
            DownloadSettingsScreen.Text.motionPhotos,
            isOn: Binding { @MainActor in
                screen.keepsMotionPhotos
            } set: { @MainActor in
                screen.setKeepsMotionPhotos($0)
            })
        Toggle(
            DownloadSettingsScreen.Text.metered,
            isOn: Binding { @MainActor in
                screen.fetchesMetered
            } set: { @MainActor in
                screen.setFetchesMetered($0)
            })
        Text(DownloadSettingsScreen.Text.meteredAdvice)
    }

    @ViewBuilder private func row(of library: FollowedRow) -> some View {
        LabeledContent(library.title, value: library.sentence)
        if library.status == .stopped {
            Button(DownloadSettingsScreen.Text.startFollowing) { screen.startFollowing() }
        }
        Button(DownloadSettingsScreen.Text.stopFollowing) { screen.stopFollowing(library.id) }
    }
}
