import Crypto

/// The name of a key that this program has a server make: for people, and unlike any other, so that one whose making broke
/// off can be found again.
struct KeyName: Sendable, Hashable {
    /// `latch on HOST (k7Qd2mXw)`, at most 70 characters.
    let text: String

    /// Makes a name that no key has.
    init(_ device: Device) {
        let program = device.userAgent.prefix { $0 != "/" }.prefix(20)
        let mark = Base64URL.encode(SecureRandom.bytes(6))
        text = "\(program) on \(device.model.prefix(35)) (\(mark))"
    }

    /// Takes a name that was noted.
    init(noted text: String) {
        self.text = text
    }

    /// Whether a key has this name; a server may put more around it.
    func isName(of key: RemoteKey) -> Bool {
        key.name.contains(text)
    }
}
