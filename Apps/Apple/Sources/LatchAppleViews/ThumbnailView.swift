// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import CoreGraphics
import Foundation
import LatchApple
import SwiftUI

/// A small picture, or a symbol while there is none.
struct ThumbnailView: View {
    /// The length of a side in points. Images are decoded to twice as many pixels.
    static let side: CGFloat = 132

    let bytes: [UInt8]?
    @State private var image: CGImage?

    var body: some View {
        ZStack {
            if let image {
                Image(decorative: image, scale: 2).resizable().scaledToFit()
            } else {
                Image(systemName: "photo")
            }
        }
        .frame(width: Self.side, height: Self.side)
        .task(id: bytes) { @MainActor in
            image = if let bytes { await EncodedImage(bytes, side: 2 * Int(Self.side)).decoded() } else { nil }
        }
    }
}
