// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import SwiftUI

/// A link to a screen, which is made when the link is followed, and kept while its view is shown.
struct ScreenLink<Screen, Content: View>: View {
    let title: String
    /// Makes the screen. Nil while it cannot be shown, such as while the device is locked.
    let make: @MainActor () -> Screen?
    @ViewBuilder let content: @MainActor (Screen) -> Content

    var body: some View {
        NavigationLink(title) { ScreenDestination(make: make, content: content) }
    }
}

/// Where a link leads to.
private struct ScreenDestination<Screen, Content: View>: View {
    let make: @MainActor () -> Screen?
    let content: @MainActor (Screen) -> Content
    @State private var screen: Screen?

    var body: some View {
        if let screen {
            content(screen)
        } else {
            ProgressView().onAppear { screen = make() }
        }
    }
}
