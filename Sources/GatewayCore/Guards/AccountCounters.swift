import Database
import FoundationEssentials
import HTTPMessages

/// The counters of the failed attempts on one account.
///
/// An address from which the person has signed in with the password has a counter of its own. All others have one together.
/// So guesses from elsewhere do not lock out a person who is where they have signed in before.
///
/// Source: OWASP, "Slow Down Online Guessing Attacks with Device Cookies", for addresses instead of cookies, because apps
/// and programs store no cookie.
struct AccountCounters: Sendable {
    /// The maximum number of addresses of an account. The one without a sign-in for the longest time is forgotten first.
    static let maximumAddresses = 16
    /// How long an address is known after the last sign-in from it: 90 days.
    static let addressLifetime = Duration.seconds(90 * 86_400)
    /// How old the recorded time of the last sign-in may be: a day. A sign-in before that writes nothing.
    private static let precision = Duration.seconds(86_400)

    /// The account that the client named. Nil when something else than a password is guessed.
    private let account: EmailAddress?
    /// The digest of the client's address.
    private let address: [UInt8]
    /// The counter of the addresses that are not known.
    let others: StoredCounter
    /// The counter of the client's address, which is used when the address is known.
    let own: StoredCounter
    private var lastSignIn: Date?

    /// Creates the counters of what is guessed, for a client whose address is not known.
    init(
        _ guessed: GuessedSecret, at address: AddressKey, _ digests: AttemptDigests, _ limit: AttemptLimit
    ) {
        account = if case .password(let account) = guessed { account } else { nil }
        self.address = digests.address(address)
        others = StoredCounter(kind: .account, digest: digests.guessed(guessed, at: nil), limit: limit)
        own = StoredCounter(kind: .account, digest: digests.guessed(guessed, at: address), limit: limit)
    }

    /// The counter that limits the client's attempts.
    var active: StoredCounter { isAtKnownAddress ? own : others }

    /// Whether the client's address is known.
    var isAtKnownAddress: Bool { lastSignIn != nil }

    /// Returns the same counters after the database was asked whether the client's address is known.
    ///
    /// An address is forgotten when the password changes, when the person is signed out everywhere, and with the account.
    func resolved(at now: Date, _ connection: Connection) throws(DatabaseError) -> AccountCounters {
        guard let account else { return self }
        var found = self
        found.lastSignIn = try connection.first(
            KnownAddressStatements.find, account.text, address, now - Self.addressLifetime)
        return found
    }

    /// Whether a sign-in must be recorded.
    func needsRecord(at now: Date) -> Bool {
        account != nil && (lastSignIn.map { now >= $0 + Self.precision } ?? true)
    }

    /// Records a sign-in from the client's address.
    func record(at now: Date, _ connection: Connection) throws(DatabaseError) {
        guard let account else { return }
        try connection.run(KnownAddressStatements.record, account.text, address, now)
        try connection.run(KnownAddressStatements.trim, account.text, Self.maximumAddresses)
    }

    /// Deletes addresses that are not known any more, at most 1,000.
    static func sweep(at now: Date, _ connection: Connection) throws(DatabaseError) {
        try connection.run(KnownAddressStatements.deleteUnused, now - addressLifetime)
    }
}
