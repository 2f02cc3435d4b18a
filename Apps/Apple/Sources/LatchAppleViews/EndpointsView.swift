// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchKit
import LatchScreens
import SwiftUI

/// The addresses of a server (IM-13).
struct EndpointsView: View {
    @Bindable var screen: EndpointsScreen

    var body: some View {
        List {
            ForEach(screen.state.shownRows) { row in
                LabeledContent(row.address.url, value: row.test ?? "")
                Button(EndpointsScreen.Text.prefer) { screen.prefer(row.address) }
                Button(EndpointsScreen.Text.remove, role: .destructive) { screen.remove(row.address) }
            }
            if let note = screen.state.note { Text(note) }
            ErrorText(error: screen.state.error)
            Button(EndpointsScreen.Text.test) { screen.test() }.disabled(screen.isBusy)
            if let title = screen.suggestionTitle { Button(title) { screen.useSuggestion() } }
            TextField(EndpointsScreen.Text.address, text: $screen.address).autocorrectionDisabled()
            Toggle(EndpointsScreen.Text.isLocal, isOn: $screen.isLocal)
            Button(EndpointsScreen.Text.add) { screen.add() }.disabled(screen.isBusy)
            Section(EndpointsScreen.Text.networks) {
                ForEach(screen.networks, id: \.self) { name in
                    Button(name, role: .destructive) { screen.removeNetwork(name) }
                }
                TextField(EndpointsScreen.Text.network, text: $screen.network).autocorrectionDisabled()
                Button(EndpointsScreen.Text.addNetwork) { screen.addNetwork() }
            }
        }
        .navigationTitle(EndpointsScreen.Text.title)
        .task { @MainActor in screen.load() }
    }
}
