public import LatchKit
public import Observation

/// Waits for a sign-in on another device, where the person enters a code.
///
/// Source: RFC 8628.
@MainActor @Observable
public final class DeviceScreen {
    /// What the screen shows.
    public enum State: Equatable, Sendable {
        /// The server is being asked for a code.
        case preparing
        /// The server waits for the person to enter the code. The sentence says why the server could not be asked, if
        /// that is so.
        case waiting(DeviceSignIn.Code, problem: String?)
    }

    /// The texts of the screen.
    public enum Text {
        /// The heading.
        public static let title = "Sign in on another device"
        /// What the person does.
        public static let advice =
            "Open this address in the browser of another device, such as your phone, or scan the code with it. Enter the "
            + "letters there. Allow the sign-in only if the page shows the same letters."
        /// The button that copies the address.
        public static let copyAddress = BrowserScreen.Text.copyAddress
        /// The button that ends the sign-in.
        public static let cancel = CommonText.cancel

        /// What is shown while the server cannot be asked.
        ///
        /// - Parameter reason: The reason, a sentence.
        /// - Returns: Sentences.
        public static func retrying(_ reason: String) -> String { "\(reason) Trying again until the code expires." }
    }

    /// What the screen shows.
    public private(set) var state = State.preparing
    /// The host of the server.
    public let host: String
    /// The letters to enter. Nil while they are not known.
    public var userCode: String? { shown.map { ScreenText.line($0.userCode) } }
    /// The address to open. Nil while it is not known.
    public var address: String? { shown.map { ScreenText.line($0.address) } }
    /// The code that opens the address on another device. Nil while the address is not known.
    public var code: ScannableCode? { shown.flatMap { ScannableCode($0.completeAddress ?? $0.address) } }
    /// Why the server could not be asked whether the person has decided. Nil when it could.
    public var problem: String? { if case .waiting(_, let problem) = state { problem } else { nil } }

    @ObservationIgnored private let client: LatchClient
    @ObservationIgnored private let server: Server
    @ObservationIgnored private let clientID: String?
    @ObservationIgnored private let onResult: @MainActor (Result<Account, ScreenError>?) -> Void
    @ObservationIgnored let work: ScreenTask

    private var shown: DeviceSignIn.Code? { if case .waiting(let code, _) = state { code } else { nil } }

    /// `onResult` gets nil when the person cancelled.
    init(
        _ client: LatchClient, server: Server, clientID: String?, work: ScreenTask,
        onResult: @escaping @MainActor (Result<Account, ScreenError>?) -> Void
    ) {
        self.client = client
        self.server = server
        self.clientID = clientID
        self.work = work
        self.onResult = onResult
        host = server.address.authority
        start()
    }

    /// Ends the sign-in.
    public func cancel() {
        work.cancel()
        onResult(nil)
    }

    private func start() {
        let signIn = DeviceSignIn(
            clientID: clientID, onEvent: { [weak self] event in Task { @MainActor in self?.record(event) } })
        work.start { [client, server, weak self] isCurrent in
            let result: Result<Account, ScreenError>
            do {
                result = .success(try await client.signIn(signIn, to: server))
            } catch {
                result = .failure(ScreenError(error))
            }
            if isCurrent() { self?.onResult(result) }
        }
    }

    private func record(_ event: DeviceSignIn.Event) {
        switch event {
        case .waiting(let code): state = .waiting(code, problem: nil)
        case .retrying(let error):
            guard let shown else { return }
            state = .waiting(shown, problem: Text.retrying(ScreenError(error).message))
        }
    }
}
