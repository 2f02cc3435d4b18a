/// The origin of a request, as sessions and the audit log record it.
package struct RequestOrigin: Sendable {
    /// The client's address.
    package let address: ClientAddress
    /// The client's device, including the address.
    package let device: SessionDevice
    /// The request's id.
    package let request: String

    /// Creates an origin and adds the address to the device.
    package init(address: ClientAddress, device: SessionDevice, request: String) {
        self.address = address
        self.device = SessionDevice(name: device.name, kind: device.kind, address: address.description)
        self.request = request
    }
}
