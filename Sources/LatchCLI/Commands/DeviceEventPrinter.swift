import HTTPMessages
import LatchKit
import Primitives
import Synchronization

/// Prints the progress of a sign-in with a code on another device.
final class DeviceEventPrinter: Sendable {
    private let context: CommandContext
    private let showsQRCode: Bool
    /// How long to wait. Nil for as long as the code is valid.
    private let timeout: Duration?
    private let isRetrying = Mutex(false)

    init(context: CommandContext, showsQRCode: Bool, timeout: Duration?) {
        self.context = context
        self.showsQRCode = showsQRCode
        self.timeout = timeout
    }

    /// Prints one event. Only the first of several failures is printed.
    func report(_ event: DeviceSignIn.Event) {
        switch event {
        case .waiting(let code): show(code)
        case .retrying(let error):
            let isFirst = isRetrying.withLock { known in
                defer { known = true }
                return !known
            }
            if isFirst { context.console.warn("\(error.message.printable) Trying again until the code expires.") }
        }
    }

    private func show(_ code: DeviceSignIn.Code) {
        let console = context.console
        // Nobody reads a closed pipe: the program ends with the next output.
        try? console.event(
            .object([
                .init("event", "device-code"), .init("userCode", .string(code.userCode)),
                .init("address", .string(code.address)),
                .init("completeAddress", code.completeAddress.map { .string($0) } ?? .null),
                .init("expiresInSeconds", .number(Double(code.lifetime.components.seconds))),
            ]))
        console.printMessage(
            "Open this address in the browser of another device, such as your phone:\n\n  \(code.address.printable)\n\n"
                + "and enter this code:\n\n  \(code.userCode.printable)\n")
        if showsQRCode { QRCodeText(code.completeAddress ?? code.address).show(on: console, isWanted: false) }
        let seconds = min(code.lifetime, timeout ?? code.lifetime).components.seconds
        let (count, unit) = seconds < 120 ? (seconds, "second") : (seconds / 60, "minute")
        console.printMessage(
            "Allow it there only if the page shows this code. Waiting, for at most \(count) "
                + "\(count == 1 ? unit : unit + "s"); stop with Ctrl-C.")
    }
}
