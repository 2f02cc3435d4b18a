// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchScreens
import SwiftUI

/// How a server is reached, and which certificates are trusted.
struct ConnectionView: View {
    @Bindable var screen: ConnectionScreen

    var body: some View {
        Form {
            TextField(
                ConnectionScreen.Text.proxy, text: $screen.proxy, prompt: Text(ConnectionScreen.Text.proxyExample))
            headers
            certificates
            ErrorText(error: screen.error)
            if screen.state == .saving { ProgressView(ConnectionScreen.Text.saving) }
            Button(ConnectionScreen.Text.save) { screen.save() }.disabled(!screen.canSave)
        }
        .navigationTitle(ConnectionScreen.Text.title)
    }

    private var certificates: some View {
        Section(ConnectionScreen.Text.certificates) {
            Text(ConnectionScreen.Text.certificatesAdvice)
            TextField(ConnectionScreen.Text.authorities, text: $screen.authoritiesFile)
            TextField(ConnectionScreen.Text.clientCertificate, text: $screen.certificateFile)
            SecureField(ConnectionScreen.Text.passphrase, text: $screen.passphrase)
            if let pin = screen.pin {
                LabeledContent(ConnectionScreen.Text.pin, value: pin)
                Button(ConnectionScreen.Text.remove, role: .destructive) { screen.removePin() }
            }
        }
    }

    private var headers: some View {
        Section(ConnectionScreen.Text.headers) {
            Text(ConnectionScreen.Text.headersAdvice)
            ForEach(screen.headerNames, id: \.self) { name in
                Button(name, role: .destructive) { screen.removeHeader(name) }
            }
            TextField(ConnectionScreen.Text.headerName, text: $screen.headerName)
            SecureField(ConnectionScreen.Text.headerValue, text: $screen.headerValue)
            Button(ConnectionScreen.Text.addHeader) { screen.addHeader() }.disabled(!screen.canSave)
        }
    }
}
