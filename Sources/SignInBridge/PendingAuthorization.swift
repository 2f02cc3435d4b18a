package import Crypto
package import FoundationEssentials
import GatewayCore
package import OAuth
import Primitives

/// Everything that the gateway needs to know about a sign-in when the browser returns from the identity provider. It is
/// sealed in the `state` parameter of the authorization request, so the gateway stores nothing about a sign-in in
/// progress.
///
/// Source: OX-2, OX-3; RFC 6749 §10.12.
package struct PendingAuthorization: Sendable, Equatable {
    /// Where the sign-in ends.
    package enum ReturnTarget: Sendable, Equatable {
        /// In an app, which gets a one-time code bound to its challenge, and its own state.
        case app(redirect: String, state: String, challenge: PKCE.Challenge)
        /// In an app, which gets a code for the identity only. The person is looked up when the code is exchanged.
        case identity(redirect: String, state: String, challenge: PKCE.Challenge)
        /// In the browser, at a path of this server.
        case web(next: String)
    }

    /// The id of the sign-in, which is part of the cookie's name.
    package let id: String
    /// The id of the provider that the browser was sent to.
    package let provider: String
    /// When the sign-in began, rounded down to the second.
    package let startedAt: Date
    /// The latest time at which the sign-in may have begun. A sign-out everywhere at or after it makes the sign-in
    /// invalid. One earlier in the same second does not.
    package var latestStart: Date { startedAt + .milliseconds(999) }
    /// The SHA-256 of the browser's secret.
    package let browser: SHA256Digest
    /// The SHA-256 of the address that the provider redirects the browser to.
    package let callback: SHA256Digest
    /// Whether the person must sign in at the provider again, even if already signed in there.
    package let requiresReauthentication: Bool
    /// Where the sign-in ends.
    package let returnTo: ReturnTarget

    /// The maximum time between the start of a sign-in and the browser's return.
    package static let lifetime = Duration.seconds(3_600)

    /// The start of the year 10000, in Unix time. Later dates are rejected, because they cannot be represented exactly.
    private static let endOfTime: Int64 = 253_402_300_800
    private static let context = Array("latchstring state 3".utf8)
    /// The maximum length of a state's text, in bytes. The longest possible values stay below it.
    private static let maximumCount = 8_192

    /// Returns the sealed text of the state, which is opaque without the keys.
    package func sealed(_ keys: BridgeKeys) throws(CryptoError) -> String {
        var fields = [id, provider].map { Array($0.utf8) }
        fields += [
            [UInt8](bigEndian: Int64(startedAt.timeIntervalSince1970)), browser.bytes, callback.bytes,
            [requiresReauthentication ? 1 : 0],
        ]
        switch returnTo {
        case .app(let redirect, let state, let challenge):
            fields += [redirect, state, challenge.text].map { Array($0.utf8) }
        case .identity(let redirect, let state, let challenge):
            fields += [redirect, state, challenge.text, "identity"].map { Array($0.utf8) }
        case .web(let next): fields.append(Array(next.utf8))
        }
        return Base64URL.encode(try SealedFields.seal(fields, key: keys.state, context: Self.context))
    }

    /// Opens the text of a state. Returns nil for texts that ``sealed(_:)`` did not make with the same keys.
    package init?(opening text: String, _ keys: BridgeKeys) {
        guard text.utf8.count <= Self.maximumCount, let box = Base64URL.decode(text),
            let fields = SealedFields.open(box, key: keys.state, context: Self.context)
        else { return nil }
        self.init(fields)
    }

    /// Reads the fields of an opened state. Returns nil when they do not have the form that ``sealed(_:)`` writes.
    package init?(_ fields: [[UInt8]]) {
        let texts = fields.map { String(validating: $0, as: UTF8.self) }
        guard fields.count >= 7, let id = texts[0], let provider = texts[1], let seconds = fields[2].bigEndian,
            (0..<Self.endOfTime).contains(seconds), let browser = SHA256Digest(bytes: fields[3]),
            let callback = SHA256Digest(bytes: fields[4]),
            let requiresReauthentication = [[0]: false, [1]: true][fields[5]]
        else { return nil }
        switch fields.count {
        case 7:
            guard let next = texts[6] else { return nil }
            returnTo = .web(next: next)
        case 9, 10:
            guard let redirect = texts[6], let state = texts[7], let challenge = texts[8].flatMap(PKCE.Challenge.init),
                fields.count == 9 || texts[9] == "identity"
            else { return nil }
            returnTo =
                fields.count == 9
                ? .app(redirect: redirect, state: state, challenge: challenge)
                : .identity(redirect: redirect, state: state, challenge: challenge)
        default: return nil
        }
        self.id = id
        self.provider = provider
        self.browser = browser
        self.callback = callback
        self.requiresReauthentication = requiresReauthentication
        startedAt = Date(timeIntervalSince1970: Double(seconds))
    }

    /// Makes a state.
    package init(
        id: String, provider: String, startedAt: Date, browser: SHA256Digest, callback: SHA256Digest,
        requiresReauthentication: Bool = false, returnTo: ReturnTarget
    ) {
        self.id = id
        self.provider = provider
        self.startedAt = Date(timeIntervalSince1970: startedAt.timeIntervalSince1970.rounded(.down))
        self.browser = browser
        self.callback = callback
        self.requiresReauthentication = requiresReauthentication
        self.returnTo = returnTo
    }

    /// Whether the browser returned in time. The clock of the gateway where it began may be ahead.
    package func isLive(at now: Date) -> Bool {
        let age = now.timeIntervalSince(startedAt)
        return age >= -ClockDifference.tolerated.seconds && age < Self.lifetime.seconds
    }

    /// Whether `secret` belongs to the browser that began this sign-in. Compares in constant time.
    package func belongs(to secret: BrowserSecret) -> Bool {
        constantTimeEqual(browser.bytes, secret.digest.bytes)
    }
}
