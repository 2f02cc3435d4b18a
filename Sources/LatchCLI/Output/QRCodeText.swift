import QRCode
import Terminal

/// The QR code of an address, on standard error.
struct QRCodeText {
    private let address: String

    init(_ address: String) { self.address = address }

    /// Prints the code. Does nothing when standard error is not a terminal, because no person would see it.
    ///
    /// - Parameters:
    ///   - console: The output.
    ///   - isWanted: Whether the person asked for the code, and is told when the terminal is too narrow for it.
    func show(on console: Console, isWanted: Bool) {
        guard Descriptor.isTerminal(Descriptor.errors), let code = QRCode(address) else { return }
        if let columns = Descriptor.columns(of: Descriptor.errors), columns < code.columns {
            guard isWanted else { return }
            return console.printMessage("The QR code of this address needs a terminal with \(code.columns) columns.")
        }
        let lines = code.lines(isColored: console.errors.isOn)
        // One line is left for the cursor.
        if let height = Descriptor.lines(of: Descriptor.errors), height <= lines.count {
            return console.printMessage("The QR code of this address needs a terminal with \(lines.count + 1) lines.")
        }
        console.printMessage(lines.joined(separator: "\n") + "\n")
    }
}
