// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import LatchScreens
import SwiftUI

/// What the program says about itself.
struct AboutView: View {
    var body: some View {
        Form {
            Text(AboutScreen.summary)
            LabeledContent(AboutScreen.authors, value: AboutScreen.version)
        }
        .navigationTitle(AboutScreen.name)
    }
}
