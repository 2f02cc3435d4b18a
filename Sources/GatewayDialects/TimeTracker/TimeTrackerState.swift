import Crypto
import FoundationEssentials
import GatewayCore
import OAuth
import SignInBridge

/// A `state` for an app that sends the first request of a sign-in itself, before its browser does.
///
/// It proves only that this server created it, and contains when it expires. It belongs to no browser, because the
/// browser is not known yet.
///
/// Source: RFC 8252 §8.9.
enum TimeTrackerState {
    private static let context = Array("latchstring time tracker state 1".utf8)

    /// Creates a state that is valid for as long as a sign-in may take.
    static func make(at now: Date, keys: BridgeKeys) throws(CryptoError) -> State {
        let end = Int64((now + SignInRecord.lifetime).timeIntervalSince1970)
        let box = try SealedFields.seal([[UInt8](bigEndian: end)], key: keys.state, context: context)
        return State(Base64URL.encode(box))
    }

    /// Checks a state. Returns nil when this server did not create it or it has expired.
    static func open(_ text: String, at now: Date, keys: BridgeKeys) -> State? {
        guard let box = Base64URL.decode(text), let fields = SealedFields.open(box, key: keys.state, context: context),
            fields.count == 1, let end = fields[0].bigEndian, now.timeIntervalSince1970 < Double(end)
        else { return nil }
        return State(text)
    }
}
