// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchScreens
import SwiftUI

/// The screens of a sign-in.
struct SignInFlowView: View {
    let flow: SignInFlow

    var body: some View {
        switch flow.state {
        case .connect(let screen): ConnectView(screen: screen, flow: flow)
        case .trust(let screen): TrustView(screen: screen)
        case .signIn(let screen): SignInView(screen: screen, flow: flow)
        case .browser(let screen): BrowserView(screen: screen)
        case .device(let screen): DeviceView(screen: screen)
        }
    }
}
