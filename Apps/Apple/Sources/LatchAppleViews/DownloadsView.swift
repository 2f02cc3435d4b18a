// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchScreens
import SwiftUI

/// The downloads: the totals, the running files and one page of the others (DL-7, DL-9, DL-12).
struct DownloadsView: View {
    @Bindable var screen: DownloadsScreen
    let app: AppScreen

    var body: some View {
        List {
            switch screen.state {
            case .opening: ProgressView()
            case .failed(let error): ErrorText(error: error)
            case .list:
                if let overview = screen.overview { totals(overview) }
                ErrorText(error: screen.error)
                ForEach(screen.running) { row(of: $0) }
                Picker(DownloadsScreen.Text.filter, selection: $screen.filter) {
                    ForEach(DownloadFilter.allCases, id: \.self) { Text($0.title).tag($0) }
                }
                ForEach(screen.page.rows.filter { $0.state != .running }) { row(of: $0) }
                pages
            case .confirming:
                Section(DownloadsScreen.Text.confirmTitle) {
                    Text(DownloadsScreen.Text.confirmAdvice)
                    Button(DownloadsScreen.Text.cancelAll, role: .destructive) { screen.confirm() }
                    Button(DownloadsScreen.Text.keep, role: .cancel) { screen.keep() }
                }
            }
        }
        .navigationTitle(DownloadsScreen.Text.title)
        .task { @MainActor in await screen.run() }
    }

    private func totals(_ overview: DownloadOverview) -> some View {
        Section(overview.title) {
            ProgressView(value: overview.fraction)
            LabeledContent(overview.files, value: overview.bytes)
            if let rate = overview.rate { LabeledContent(rate, value: overview.timeLeft ?? "") }
            if let reason = overview.waitReason { Text(reason) }
            if let action = overview.action {
                DownloadActionView(action: action, app: app) { screen.retry() }
            }
            if let failures = overview.failures { Text(failures) }
            if overview.phase == .stopped { Button(DownloadsScreen.Text.start) { screen.start() } }
            if overview.canPause { Button(DownloadsScreen.Text.pause) { screen.pause() } }
            if overview.canResume { Button(DownloadsScreen.Text.resume) { screen.resume() } }
            if overview.canRetry, overview.action != .retry { Button(DownloadsScreen.Text.retry) { screen.retry() } }
            if overview.canClear { Button(DownloadsScreen.Text.clear) { screen.clear() } }
            if overview.canCancel {
                Button(DownloadsScreen.Text.cancelAll, role: .destructive) { screen.askToCancelAll() }
            }
        }
    }

    private func row(of row: DownloadRow) -> some View {
        Section(row.name) {
            LabeledContent(row.percent ?? row.state.title, value: row.bytes)
            if let fraction = row.fraction { ProgressView(value: fraction) }
            if let account = row.account { Text(account) }
            if let reason = row.reason { Text(reason) }
            if let action = row.action {
                DownloadActionView(action: action, app: app) { screen.retry([row.id]) }
            }
            if row.canPause { Button(DownloadsScreen.Text.pause) { screen.pause([row.id]) } }
            if row.canResume { Button(DownloadsScreen.Text.resume) { screen.resume([row.id]) } }
            if row.canRetry, row.action != .retry {
                Button(DownloadsScreen.Text.retry) { screen.retry([row.id]) }
            }
            if row.canCancel { Button(DownloadsScreen.Text.cancel, role: .destructive) { screen.cancel([row.id]) } }
        }
    }

    @ViewBuilder private var pages: some View {
        if screen.page.hasPrevious { Button(DownloadsScreen.Text.previous) { screen.showPreviousPage() } }
        if screen.page.hasNext { Button(DownloadsScreen.Text.next) { screen.showNextPage() } }
    }
}
