/// The rules of a session, without tasks, clocks or sockets.
///
/// Everything that answers late carries the epoch in which it was asked; an answer of another epoch changes nothing.
/// The epoch moves on when a session ends, when a person signs out and when one signs in again.
///
/// Source: invariants 4 and 5; contract of Onyx, b.10.
struct SessionStateMachine {
    /// The present state.
    private(set) var state = SessionState.restoring
    /// Which session this is: answers to an earlier one are late.
    private(set) var epoch = 0
    /// Whether a renewal is under way.
    private(set) var isRefreshing = false

    /// What a caller who wants the token renewed does.
    enum RefreshAction: Equatable {
        /// Renew it, and say so with ``refreshEnded(in:)``.
        case start(epoch: Int)
        /// Wait for the renewal that is under way.
        case join
        /// Nothing: there is no session.
        case refuse(SessionState)
    }

    /// A token is there; whether the server takes it is not known.
    mutating func found() {
        switch state {
        case .signedIn, .signingOut: return
        case .signedOut: epoch += 1
        case .restoring, .unavailable: break
        }
        state = .signedIn(.unverified(nil))
    }

    /// The secret store did not give the token.
    mutating func couldNotRead(_ code: LatchError.Code) {
        switch state {
        case .restoring, .unavailable: state = .unavailable(code)
        case .signedIn, .signingOut, .signedOut: break
        }
    }

    /// There is no session on this device.
    mutating func foundNone(_ reason: SessionState.SignedOutReason) {
        switch state {
        case .signingOut, .signedOut: return
        case .restoring, .unavailable, .signedIn: leave(reason)
        }
    }

    /// The server took the token.
    mutating func verified(in asked: Int) {
        guard asked == epoch, state.isSignedIn else { return }
        state = .signedIn(.verified)
    }

    /// The server did not answer, or somebody else did; whoever was verified stays so.
    mutating func unanswered(_ code: LatchError.Code, in asked: Int) {
        guard asked == epoch, case .signedIn(.unverified) = state else { return }
        state = .signedIn(.unverified(code))
    }

    /// Somebody wants the token renewed.
    mutating func wantsRefresh() -> RefreshAction {
        guard state.isSignedIn else { return .refuse(state) }
        guard !isRefreshing else { return .join }
        isRefreshing = true
        return .start(epoch: epoch)
    }

    /// A renewal has come to its end, good or bad; whether its result counts.
    mutating func refreshEnded(in asked: Int) -> Bool {
        guard asked == epoch else { return false }
        isRefreshing = false
        return state.isSignedIn
    }

    /// The server itself has ended the session; true once, false for everybody who comes later.
    mutating func ended(_ reason: String, in asked: Int) -> Bool {
        guard asked == epoch, state.isSignedIn else { return false }
        leave(.ended(reason))
        return true
    }

    /// The person signs out; false when that is under way already.
    mutating func wantsSignOut() -> Bool {
        guard state != .signingOut else { return false }
        leave(.notSignedIn)
        state = .signingOut
        return true
    }

    /// All is wiped.
    mutating func signedOut() {
        guard state == .signingOut else { return }
        state = .signedOut(.notSignedIn)
    }

    private mutating func leave(_ reason: SessionState.SignedOutReason) {
        epoch += 1
        isRefreshing = false
        state = .signedOut(reason)
    }
}
