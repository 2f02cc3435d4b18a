import Crypto
import FoundationEssentials
import OAuth

/// A `state` made for an app that asks for the start of a sign-in itself, before the browser comes.
///
/// It says nothing but that this server made it and until when: whose browser will come, nobody knows yet.
///
/// Source: RFC 8252 §8.9.
enum TimeTrackerState {
    private static let context = Array("latchstring time tracker state 1".utf8)

    /// Makes one that is good for as long as a sign-in may take.
    static func make(_ now: Date, _ keys: BridgeKeys) throws(CryptoError) -> State {
        let end = Int64((now + SignInStart.lifetime).timeIntervalSince1970)
        let box = try SealedFields.seal([[UInt8](bigEndian: end)], key: keys.state, context: context)
        return State(Base64URL.encode(box))
    }

    /// Takes one back; nil for what this server did not make, or made too long ago.
    static func open(_ text: String, _ now: Date, _ keys: BridgeKeys) -> State? {
        guard let box = Base64URL.decode(text), let fields = SealedFields.open(box, key: keys.state, context: context),
            fields.count == 1, let end = fields[0].bigEndian, now.timeIntervalSince1970 < Double(end)
        else { return nil }
        return State(text)
    }
}
