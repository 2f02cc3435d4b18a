import Crypto

/// The name of a key that a server creates for this program. It is readable for people and unique, so that a key can be
/// found again after its creation was interrupted.
struct KeyName: Sendable, Hashable {
    /// The name, such as `latch on HOST (k7Qd2mXw)`, at most 70 characters.
    let text: String

    /// Makes a unique name for a key of this device.
    init(_ device: Device) {
        let program = device.userAgent.prefix { $0 != "/" }.prefix(20)
        let suffix = Base64URL.encode(SecureRandom.bytes(6))
        text = "\(program) on \(device.model.prefix(35)) (\(suffix))"
    }

    /// Makes a name from its recorded text.
    init(recorded text: String) {
        self.text = text
    }

    /// Returns whether a key has this name. A server may add text around it.
    func isName(of key: RemoteKey) -> Bool {
        key.name.contains(text)
    }
}
