/// Decides what a refresh with a client's refresh token does.
///
/// A refresh makes a successor, but the response may be lost, so the current token stays valid until the successor, or
/// an access token that came with it, is first used. Until then, a repeated refresh gets the same response. After that,
/// the current token is an old one. If an old one is used, two parties have the tokens of the session, and one of them
/// stole them.
///
/// Source: RFC 9700 §4.14.2.
struct RefreshTokenStateMachine: Equatable {
    /// The number of the current token.
    private(set) var generation: Int
    /// Whether a successor was issued that was not used yet.
    private(set) var hasSuccessor: Bool

    /// Which token of the session is used.
    enum Token: Equatable {
        /// The current token.
        case current
        /// The successor of the current token.
        case successor
        /// A token that this server issued earlier: its number is below that of the current one.
        case old
        /// A token that belongs to no generation of this session.
        case unknown
    }

    /// What the caller must do.
    enum Action: Equatable {
        /// Issue a successor with this number.
        case issue(generation: Int)
        /// Repeat the response to the last refresh.
        case repeatResponse
        /// End the session: the token was stolen.
        case endSession
        /// Refuse the token, and change nothing.
        case refuse

        /// Whether the client gets tokens.
        var issuesTokens: Bool {
            switch self {
            case .issue, .repeatResponse: true
            case .endSession, .refuse: false
            }
        }
    }

    /// Returns what a refresh with a token does.
    mutating func refresh(with token: Token) -> Action {
        switch token {
        case .current where hasSuccessor: return .repeatResponse
        case .current: break
        case .successor: use(generation + 1)
        case .old: return .endSession
        case .unknown: return .refuse
        }
        hasSuccessor = true
        return .issue(generation: generation + 1)
    }

    /// Records that a token of a generation is used, the refresh token or an access token that came with it. Returns
    /// whether this made the successor the current token.
    @discardableResult
    mutating func use(_ used: Int) -> Bool {
        guard hasSuccessor, used == generation + 1 else { return false }
        generation = used
        hasSuccessor = false
        return true
    }
}
