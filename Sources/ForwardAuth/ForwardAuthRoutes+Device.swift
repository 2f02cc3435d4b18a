import GatewayHTTP

/// The token of a device is that of a session, which is good for every protected server that admits the person.
extension ForwardAuthRoutes: DeviceDialect {
    package var deviceID: String { "latchd" }
    package var deviceTitle: String { "the servers that are protected here" }
}
