import LatchKit
import Primitives
import Synchronization
import Terminal

/// Prints the progress of a sign-in with the browser.
final class BrowserEventPrinter: Sendable {
    private let context: CommandContext
    /// Whether no browser is opened on this machine.
    private let opensNone: Bool
    /// Whether to show a QR code. Nil shows one where it helps.
    private let showsQRCode: Bool?
    private let address = Mutex("")

    init(context: CommandContext, opensNone: Bool, showsQRCode: Bool?) {
        self.context = context
        self.opensNone = opensNone
        self.showsQRCode = showsQRCode
    }

    /// Prints one event.
    func report(_ event: BrowserSignIn.Event) {
        switch event {
        case .waiting(let address, let method): wait(address, method)
        case .browserFailed(let reason):
            context.console.warn("The browser was not opened: \(reason.printable) Open the address yourself.")
            if showsQRCode == nil, !opensNone {
                QRCodeText(address.withLock(\.self)).show(on: context.console, isWanted: false)
            }
        case .unrecognizedLink: context.console.warn("This link does not belong to this sign-in. Nothing was changed.")
        }
    }

    private func wait(_ address: String, _ method: CallbackMethod) {
        self.address.withLock { $0 = address }
        let start =
            opensNone
            ? "Open this address in a browser, on any machine:"
            : "Opening the browser. If no browser appears, open this address:"
        context.console.printMessage("\(start)\n\n  \(address)\n")
        if showsQRCode ?? opensNone {
            QRCodeText(address).show(on: context.console, isWanted: showsQRCode == true)
        }
        if method == .scheme, !opensNone, (try? SchemeRegistration())?.hasEntry == false {
            context.console.printMessage(
                "Links from the browser are not passed to latch yet. Run 'latch register-schemes' once.")
        }
        guard opensNone || context.prompter.isAvailable else { return }
        context.console.printMessage(Self.way(back: method))
    }

    private static func way(back method: CallbackMethod) -> String {
        switch method {
        case .scheme:
            "The last page has a button that returns to the app, or opens an address that this machine cannot open. If "
                + "nothing happens here after that, copy the link and paste it here."
        case .loopback, .automatic:
            "If the browser runs on another machine, it cannot show the last page. Copy the page's address and paste "
                + "it here."
        }
    }
}
