// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import Foundation
import LatchScreens
import SwiftUI

/// A QR code, black on white, with a border of four modules.
struct CodeView: View {
    let code: ScannableCode

    var body: some View {
        Canvas { context, size in
            context.fill(Path(CGRect(origin: .zero, size: size)), with: .color(.white))
            let side = min(size.width, size.height) / CGFloat(code.size + 8)
            for row in 0..<code.size {
                for column in 0..<code.size where code.isDark(row: row, column: column) {
                    let (x, y) = (CGFloat(column + 4) * side, CGFloat(row + 4) * side)
                    context.fill(Path(CGRect(x: x, y: y, width: side, height: side)), with: .color(.black))
                }
            }
        }
        .frame(width: 260, height: 260)
        .accessibilityLabel(BrowserScreen.Text.code)
    }
}
