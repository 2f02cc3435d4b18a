// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchScreens
import SwiftUI

/// The sentence of an error, if there is one.
struct ErrorText: View {
    let error: ScreenError?

    var body: some View {
        if let error { Text(error.message).foregroundStyle(.red) }
    }
}
