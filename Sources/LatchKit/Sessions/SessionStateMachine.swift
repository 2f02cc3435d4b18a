/// The state machine of a session. It uses no tasks, clocks or sockets.
///
/// Every asynchronous result carries the epoch in which its request was sent. A result from another epoch is ignored.
/// The epoch changes when a session ends, when the person signs out and when the person signs in again.
///
/// Source: ARCHITECTURE.md, Invariants, 4 and 5; docs/protocols/onyx.md, Sessions in the app.
struct SessionStateMachine {
    /// The current state.
    private(set) var state = SessionState.restoring
    /// The number of the current session. Results of earlier epochs are ignored.
    private(set) var epoch = 0
    /// Whether a renewal is in progress.
    private(set) var isRefreshing = false

    /// What a caller that needs a newer token must do.
    enum RefreshAction: Equatable {
        /// Renew the token, then call ``refreshEnded(in:)``.
        case start(epoch: Int)
        /// Wait for the renewal that is in progress.
        case join
        /// Fail, because there is no session.
        case refuse(SessionState)
    }

    /// Records that there is a token. It is not known whether the server accepts it.
    mutating func found() {
        switch state {
        case .signedIn, .signingOut: return
        case .signedOut: epoch += 1
        case .restoring, .unavailable: break
        }
        state = .signedIn(.unverified(nil))
    }

    /// Records that the secret store did not return the token.
    mutating func couldNotRead(_ code: LatchError.Code) {
        switch state {
        case .restoring, .unavailable: state = .unavailable(code)
        case .signedIn, .signingOut, .signedOut: break
        }
    }

    /// Records that there is no session on this device.
    mutating func foundNone(_ reason: SessionState.SignedOutReason) {
        switch state {
        case .signingOut, .signedOut: return
        case .restoring, .unavailable, .signedIn: end(reason)
        }
    }

    /// Records that the server accepted the token.
    mutating func verified(in asked: Int) {
        guard asked == epoch, state.isSignedIn else { return }
        state = .signedIn(.verified)
    }

    /// Records that the server did not respond. A session that was verified before stays verified, unless another
    /// address of the server has rejected it.
    mutating func unanswered(_ code: LatchError.Code, in asked: Int) {
        guard asked == epoch else { return }
        switch state {
        case .signedIn(.unverified): state = .signedIn(.unverified(code))
        case .signedIn(.verified) where code == .rejectionUnconfirmed: state = .signedIn(.unverified(code))
        default: break
        }
    }

    /// Requests a renewal of the token. Returns what the caller must do.
    mutating func requestRefresh() -> RefreshAction {
        guard state.isSignedIn else { return .refuse(state) }
        guard !isRefreshing else { return .join }
        isRefreshing = true
        return .start(epoch: epoch)
    }

    /// Records that a renewal ended, successfully or not. Returns whether its result is still relevant.
    mutating func refreshEnded(in asked: Int) -> Bool {
        guard asked == epoch else { return false }
        isRefreshing = false
        return state.isSignedIn
    }

    /// Records that the server ended the session. Returns true the first time, false after that.
    mutating func ended(_ reason: String, in asked: Int) -> Bool {
        guard asked == epoch, state.isSignedIn else { return false }
        end(.ended(reason))
        return true
    }

    /// Begins a sign-out. Returns false when one is already in progress.
    mutating func requestSignOut() -> Bool {
        guard state != .signingOut else { return false }
        end(.notSignedIn)
        state = .signingOut
        return true
    }

    /// Records that the sign-out is complete.
    mutating func signedOut() {
        guard state == .signingOut else { return }
        state = .signedOut(.notSignedIn)
    }

    private mutating func end(_ reason: SessionState.SignedOutReason) {
        epoch += 1
        isRefreshing = false
        state = .signedOut(reason)
    }
}
