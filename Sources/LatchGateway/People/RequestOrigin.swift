/// Where a request comes from, as sessions and the audit log name it.
struct RequestOrigin: Sendable {
    /// The client's address.
    let address: ClientAddress
    /// The client's device, with the address.
    let device: SessionDevice
    /// The request's id.
    let request: String

    /// Makes an origin; the device gets the address.
    init(address: ClientAddress, device: SessionDevice, request: String) {
        self.address = address
        self.device = SessionDevice(name: device.name, kind: device.kind, address: address.description)
        self.request = request
    }
}
