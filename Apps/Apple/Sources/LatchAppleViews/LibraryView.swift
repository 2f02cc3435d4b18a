// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchKit
import LatchScreens
import SwiftUI

/// The picture library: its sections, the selection, and the question before a download (DL-1, DL-9).
struct LibraryView: View {
    let screen: LibraryScreen
    let downloads: @MainActor () -> DownloadsScreen
    let app: AppScreen

    var body: some View {
        ZStack {
            if let download = screen.download {
                LibraryDownloadView(screen: download, downloads: downloads, app: app)
            } else {
                section
            }
        }
        .navigationTitle(screen.section.title)
        .onAppear { screen.start() }
        .onDisappear { screen.stop() }
    }

    private var section: some View {
        VStack {
            ScrollView(.horizontal) {
                HStack {
                    ForEach(screen.sections, id: \.self) { section in
                        Button(section.title) { screen.show(section) }.disabled(section == screen.section)
                    }
                }
            }
            ErrorText(error: screen.loadingError)
            if screen.loadingError != nil { Button(LibraryScreen.Text.retry) { screen.retry() } }
            content
        }
    }

    @ViewBuilder private var content: some View {
        switch screen.state {
        case .loading: ProgressView(LibraryScreen.Text.loading)
        case .notOffered(let sentence), .empty(let sentence): Text(sentence)
        case .failed(let error):
            ErrorText(error: error)
            Button(LibraryScreen.Text.retry) { screen.retry() }
        case .albums(let albums): List { ForEach(albums) { AlbumRowView(album: $0, screen: screen) } }
        case .years(let years):
            List {
                ForEach(years) { year in
                    LabeledContent(year.count) { Button("\(year.year)") { screen.show(.year(year.year)) } }
                }
            }
        case .pictures(let count):
            PictureCommands(screen: screen)
            if screen.showsMonths { MonthList(screen: screen) } else { PictureGrid(screen: screen, count: count) }
        case .lockedFolder: if let folder = screen.lockedFolder { LockedFolderView(screen: folder) }
        }
    }
}

/// The commands of a grid, and what is selected.
private struct PictureCommands: View {
    let screen: LibraryScreen

    var body: some View {
        Text(screen.selectionSentence)
        HStack {
            Button(LibraryScreen.Text.selectAll) { screen.selectAll() }
            if screen.selection.count > 0 { Button(LibraryScreen.Text.clear) { screen.clearSelection() } }
            Button(screen.downloadTitle) { screen.askToDownload() }
            if screen.months.count > 1 {
                Toggle(
                    LibraryScreen.Text.months,
                    isOn: Binding { @MainActor in
                        screen.showsMonths
                    } set: { @MainActor in
                        screen.setShowsMonths($0)
                    })
            }
        }
    }
}

/// The months of a grid.
private struct MonthList: View {
    let screen: LibraryScreen

    var body: some View {
        List {
            ForEach(screen.months) { month in
                LabeledContent(month.count) {
                    Button(month.title) { screen.show(month) }
                    Button(LibraryScreen.Text.selectMonth) { screen.toggleMonth(month) }
                }
                .buttonStyle(.borderless)
            }
        }
    }
}
