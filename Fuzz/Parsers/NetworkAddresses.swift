@testable import GatewayCore
@testable import GatewayHTTP
@testable import HTTPMessages
@testable import HTTPServer

extension FuzzedParser {
    static let networkAddresses = [
        FuzzedParser("ip-address") { input in
            let text = input.text
            if let address = IPAddress(text) {
                try require(IPAddress(address.description) == address, "\(address) is not itself when read again.")
                try require(IPAddress(bytes: address.bytes) == address, "\(address) is not itself from its bytes.")
                try require(text.utf8.allSatisfy { $0 < 0x80 }, "An address was read from letters outside ASCII.")
            }
            guard let network = IPNetwork(text) else { return }
            try require(IPNetwork(network.description) == network, "\(network) is not itself when read again.")
            try require(network.contains(network.address), "\(network) does not contain its own address.")
        },
        // Whom X-Forwarded-For names: the peer's address, then the fields.
        FuzzedParser("forwarded") { input in
            let lines = input.lines(8)
            guard let peer = IPAddress(lines[0].text), let trusted = IPNetwork("10.0.0.0/8") else { return }
            let headers = HTTPHeaders(
                lines.dropFirst().map { HTTPHeaders.Field(name: "X-Forwarded-For", value: $0.text) })
            let request = ServerRequest(
                id: "fuzz", method: .get, path: "/", rawQuery: nil, headers: headers, body: [],
                peer: peer.family == .v4 ? .ipv4(peer, port: 1) : .ipv6(peer, port: 1), isTLS: false)
            let client = TrustedProxies([trusted]).client(of: request)
            if !trusted.contains(peer) {
                try require(client.ip == peer, "A stranger that is no proxy was taken for \(client).")
            }
            try require(client.ip != nil, "A client with an address has none any more.")
            try require(TrustedProxies().client(of: request).ip == peer, "A header was believed without proxies.")
        },
    ]
}
