public import FoundationEssentials

/// Another address of an account's server.
///
/// Source: IM-13.
public struct Endpoint: Sendable, Identifiable, Codable {
    /// The endpoint's id on this device.
    public let id: UUID
    /// The address.
    public let address: ServerAddress
    /// The connection options, without secrets. They are the endpoint's own: nothing of the account's options applies.
    var connection: ConnectionRecord

    /// The number of endpoints that an account can have.
    static let maximum = 16
}

/// The addresses at which an account's server can be reached besides the account's own, and when to use them.
///
/// The account's own address identifies the account and its stored data, and is always the last candidate.
///
/// Source: IM-13.
public struct EndpointSettings: Sendable, Codable {
    /// The address in the local network. Nil when there is none.
    public internal(set) var local: Endpoint?
    /// The other addresses, in the order of preference.
    public internal(set) var external: [Endpoint] = []
    /// The names of the Wi-Fi networks on which ``local`` is preferred. Names are compared exactly.
    public internal(set) var wifiNames: [String] = []
    /// The id of the person, as the server reports it. An endpoint where another person responds is not used.
    var person: String?

    /// All endpoints: the local one first, then the others in the order of preference.
    public var all: [Endpoint] { (local.map { [$0] } ?? []) + external }

    /// The number of Wi-Fi names that an account can have.
    static let maximumNames = 32

    /// Returns the candidates on a Wi-Fi network, the preferred one first. The local address is a candidate only on a
    /// network in ``wifiNames``.
    func candidates(on wifiName: String?) -> [Endpoint] {
        guard let local, let wifiName, wifiNames.contains(wifiName) else { return external }
        return [local] + external
    }

    /// Moves an endpoint to the front: a local one stays local, an external one becomes the first of its list. Returns
    /// false when there is no endpoint with that address.
    mutating func prefer(_ address: ServerAddress) -> Bool {
        guard let index = external.firstIndex(where: { $0.address == address }) else {
            return local?.address == address
        }
        external.insert(external.remove(at: index), at: 0)
        return true
    }

    /// Removes an endpoint and returns it. Nil when there is no endpoint with that address.
    mutating func remove(_ address: ServerAddress) -> Endpoint? {
        if let local, local.address == address {
            self.local = nil
            return local
        }
        return external.firstIndex { $0.address == address }.map { external.remove(at: $0) }
    }
}
