// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

public import LatchScreens
public import SwiftUI

/// The whole app: the screen that the gate decides on.
public struct RootView: View {
    private let screen: AppScreen
    @Environment(\.scenePhase) private var phase

    /// Creates the view of an app. It starts when the view appears.
    public init(screen: AppScreen) { self.screen = screen }

    /// The screen to show.
    public var body: some View {
        NavigationStack {
            switch screen.state {
            case .opening: ProgressView(AppScreen.Text.opening)
            case .failed(let error): retry(AppScreen.Text.failed, error)
            case .passphrase(let screen): PassphraseView(screen: screen)
            case .locked(let screen): LockView(screen: screen)
            case .signIn(let flow): SignInFlowView(flow: flow)
            case .changePassword(let screen): ChangePasswordView(screen: screen)
            case .unavailable(_, let error): retry(AppScreen.Text.unavailable, error)
            case .main(let main): MainView(app: screen, screen: main)
            }
        }
        .task { @MainActor in screen.start() }
        .onChange(of: phase) { _, phase in
            if phase == .active { screen.returnToForeground() }
        }
    }

    private func retry(_ title: String, _ error: ScreenError) -> some View {
        Form {
            ErrorText(error: error)
            Button(AppScreen.Text.retry) { screen.retry() }
            if error.isAboutCertificate {
                Button(AppScreen.Text.checkCertificate) { screen.signInAgain() }
            }
        }
        .navigationTitle(title)
    }
}
