import OAuth

/// Waits for the callback of one sign-in: from the desktop, from a local port, or pasted by the person.
struct BrowserWait: Sendable {
    private enum Outcome: Sendable { case link(String), closed, timedOut, nothing }

    /// How long a callback may still arrive after the browser was closed.
    private static let grace = Duration.seconds(2)

    let signIn: BrowserSignIn
    let pending: PendingBrowserSignIn
    let receiver: CallbackReceiver
    /// The browser that opens the address. Nil opens none.
    let browser: Browser?
    /// The folder for the profile of an ephemeral browser.
    let profiles: String

    /// Returns the callback address, which contains this sign-in's state.
    ///
    /// - Throws: ``LatchError/Code/signInTimedOut``, ``LatchError/Code/browserClosed``; errors of asking the person;
    ///   `CancellationError`.
    func link() async throws -> String {
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            defer { group.cancelAll() }
            group.addTask { await received() }
            group.addTask {
                try await Task.sleep(for: signIn.timeout)
                return .timedOut
            }
            if let browser { group.addTask { try await open(browser) } }
            if let promptForCallback = signIn.promptForCallback { group.addTask { try await ask(promptForCallback) } }
            while let outcome = try await group.next() {
                switch outcome {
                case .link(let link): return link
                case .closed: throw Self.closed
                case .timedOut: throw timeoutError
                case .nothing: try Task.checkCancellation()
                }
            }
            throw CancellationError()
        }
    }

    private func received() async -> Outcome {
        for await link in receiver.links { return .link(link) }
        return .nothing
    }

    private func open(_ browser: Browser) async throws -> Outcome {
        switch await browser.open(pending.address, callback: receiver.redirect, profiles: profiles) {
        case .returned(let link):
            if CallbackReceiver.takes(link, to: receiver.redirect, state: pending.state) { return .link(link) }
            throw LatchError(
                .callbackInvalid,
                "Login failed: the address that the page returned does not belong to this sign-in. Sign in again.")
        case .closed:
            try await Task.sleep(for: Self.grace)
            return .closed
        case .failed(let reason):
            signIn.onEvent(.browserFailed(reason))
            return .nothing
        case .handedOver, nil: return .nothing
        }
    }

    private func ask(_ promptForCallback: @Sendable () async throws -> String?) async throws -> Outcome {
        while let link = try await promptForCallback() {
            if CallbackReceiver.takes(link, to: receiver.redirect, state: pending.state) { return .link(link) }
            try Task.checkCancellation()
            signIn.onEvent(.unrecognizedLink)
        }
        return .nothing
    }

    private static let closed = LatchError(
        .browserClosed, "Login failed: the browser was closed before the sign-in was complete. You were not signed in.")

    private var timeoutError: LatchError {
        LatchError(
            .signInTimedOut,
            "Login failed: the browser did not return in time (\(signIn.timeout.components.seconds) s). You were not "
                + "signed in.")
    }
}
