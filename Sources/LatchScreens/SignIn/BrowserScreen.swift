import LatchKit
public import Observation
import Primitives

/// Waits for a sign-in in the browser.
///
/// The browser returns by itself. If it runs on another device, the person pastes the link that it would have opened.
///
/// Source: RFC 8252; OX-9; TT-2.
@MainActor @Observable
public final class BrowserScreen {
    /// What the screen shows.
    public enum State: Equatable, Sendable {
        /// The server is being asked for the address of its sign-in page.
        case preparing
        /// The browser shows the page with this address. What happened meanwhile, in the order in which it did.
        case waiting(address: String, [Notice])
    }

    /// What happened while the browser was waited for.
    public enum Notice: Equatable, Sendable {
        /// The browser could not be opened, for the reason in the sentence.
        case browserFailed(String)
        /// The pasted text is not the link of this sign-in.
        case unrecognizedLink
        /// The browser returns by a link with this scheme, and no program is registered for such links.
        case noHandler(scheme: String)
    }

    /// The texts of the screen.
    public enum Text {
        /// The heading.
        public static let title = "Waiting for your browser"
        /// What the person does.
        public static let advice = "Sign in on the page that your browser shows. Then come back to this window."
        /// The button that ends the sign-in.
        public static let cancel = CommonText.cancel
        /// The button that opens the page again.
        public static let openAgain = "Open again"
        /// The button that copies the address of the page.
        public static let copyAddress = "Copy address"
        /// The heading of the part for another device.
        public static let otherDevice = "Use another device"
        /// What the code is, for a person who cannot see it.
        public static let code = "QR code"
        /// How to sign in on another device.
        public static let otherDeviceAdvice =
            "Scan the code with the other device and sign in there. At the end its browser cannot open the last page. "
            + "Copy the address of that page, and paste it here."
        /// The name of the field for the link.
        public static let link = "Address of the last page"
        /// The button that uses the pasted link.
        public static let useLink = "Continue"
        /// What is shown when the pasted text is not the link of this sign-in.
        public static let unrecognizedLink =
            "This is not the address of the last page of this sign-in. Copy all of it and paste it again."

        /// What is shown when the browser could not be opened.
        ///
        /// - Parameter reason: The reason, a sentence.
        /// - Returns: Sentences.
        public static func browserFailed(_ reason: String) -> String {
            "The browser could not be opened: \(reason) Copy the address, and open it in a browser yourself."
        }

        /// What is shown when no program is registered for the link with which the browser returns.
        ///
        /// - Parameter scheme: The scheme of the link.
        /// - Returns: A sentence.
        public static func noHandler(_ scheme: String) -> String {
            "The browser cannot return here, because no program is registered for links that begin with '\(scheme):'. "
                + "Install Latchstring or run 'latch register-schemes', or copy the address of the last page, and paste "
                + "it under '\(otherDevice)'."
        }
    }

    /// What the screen shows.
    public private(set) var state = State.preparing
    /// The link that the person pastes.
    public var link = "" {
        didSet {
            guard !link.isEmpty, case .waiting(let address, let notices) = state,
                notices.contains(.unrecognizedLink)
            else { return }
            state = .waiting(address: address, notices.filter { $0 != .unrecognizedLink })
        }
    }
    /// What the person must know, each in sentences. ``linkError`` is not among them.
    public var messages: [String] {
        guard case .waiting(_, let notices) = state else { return [] }
        return notices.compactMap { notice in
            switch notice {
            case .browserFailed(let reason): Text.browserFailed(reason)
            case .unrecognizedLink: nil
            case .noHandler(let scheme): Text.noHandler(scheme)
            }
        }
    }
    /// Why the pasted text was refused, for its field. Nil when it was not.
    public var linkError: String? {
        guard case .waiting(_, let notices) = state else { return nil }
        return notices.contains(.unrecognizedLink) ? Text.unrecognizedLink : nil
    }
    /// The host of the server.
    public let host: String
    /// The address of the sign-in page. Nil while it is not known.
    public var address: String? { if case .waiting(let address, _) = state { address } else { nil } }

    /// The code that opens the address of the sign-in page on another device. Nil while the address is not known.
    public var code: ScannableCode? { address.flatMap(ScannableCode.init) }

    @ObservationIgnored private let client: LatchClient
    @ObservationIgnored private let server: Server
    @ObservationIgnored private let provider: String?
    @ObservationIgnored private let clientID: String?
    @ObservationIgnored private let browser: Browser?
    @ObservationIgnored private let environment: [String: String]
    @ObservationIgnored private let onResult: @MainActor (Result<Account, ScreenError>?) -> Void
    @ObservationIgnored private var links: AsyncStream<String>.Continuation?
    @ObservationIgnored let work: ScreenTask
    @ObservationIgnored private let reopening = ScreenTask()
    @ObservationIgnored let query = ScreenTask()

    /// `onResult` gets nil when the person cancelled.
    init(
        _ client: LatchClient, server: Server, provider: String?, clientID: String?, browser: Browser?,
        environment: [String: String], work: ScreenTask,
        onResult: @escaping @MainActor (Result<Account, ScreenError>?) -> Void
    ) {
        self.client = client
        self.server = server
        self.provider = provider
        self.clientID = clientID
        self.browser = browser
        self.environment = environment
        self.work = work
        self.onResult = onResult
        host = server.address.authority
        start()
    }

    /// Opens the page again, in a new window of the browser.
    public func openAgain() {
        guard let address, let browser else { return }
        reopening.start { [client, server, weak self] isCurrent in
            let failure = await client.reopen(address, in: browser, for: server)
            guard isCurrent(), let failure else { return }
            self?.show(.browserFailed(failure))
        }
    }

    /// Continues with the pasted link.
    public func useLink() {
        let text = link.trimmed
        guard !text.isEmpty else { return }
        links?.yield(text)
    }

    /// Ends the sign-in.
    public func cancel() {
        work.cancel()
        reopening.cancel()
        onResult(nil)
    }

    private func start() {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        links = continuation
        var signIn = BrowserSignIn(
            provider: provider, browser: browser,
            onEvent: { [weak self] event in Task { @MainActor in self?.record(event) } },
            promptForCallback: {
                for await link in stream { return link }
                return nil
            })
        signIn.clientID = clientID
        work.start { [client, server, signIn, weak self] isCurrent in
            let result: Result<Account, ScreenError>
            do {
                result = .success(try await client.signIn(signIn, to: server))
            } catch {
                result = .failure(ScreenError(error))
            }
            guard isCurrent() else { return }
            self?.reopening.cancel()
            self?.onResult(result)
        }
    }

    private func record(_ event: BrowserSignIn.Event) {
        switch event {
        case .waiting(let address, let method):
            state = .waiting(address: address, [])
            if method == .scheme, browser?.isPresenter != true { checkHandler() }
        case .browserFailed(let reason): show(.browserFailed(reason))
        case .unrecognizedLink: show(.unrecognizedLink)
        }
    }

    private func checkHandler() {
        query.start { [server, environment, weak self] isCurrent in
            let scheme = await server.unhandledScheme(environment: environment)
            guard isCurrent(), let scheme else { return }
            self?.show(.noHandler(scheme: scheme))
        }
    }

    private func show(_ notice: Notice) {
        guard case .waiting(let address, let notices) = state, !notices.contains(notice) else { return }
        state = .waiting(address: address, notices + [notice])
    }
}
