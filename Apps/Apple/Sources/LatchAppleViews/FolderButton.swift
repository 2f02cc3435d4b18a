// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import Foundation
import SwiftUI
import UniformTypeIdentifiers

/// A button that lets the person choose a folder.
struct FolderButton: View {
    let title: String
    /// Receives the full path.
    let choose: @MainActor (String) -> Void
    @State private var isChoosing = false

    var body: some View {
        Button(title) { isChoosing = true }
            .fileImporter(isPresented: $isChoosing, allowedContentTypes: [.folder]) { result in
                if let folder = try? result.get() { choose(folder.path) }
            }
    }
}
