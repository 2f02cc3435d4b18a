import HTTPMessages
import LatchKit
import Primitives
import Terminal

/// The text and JSON forms of the addresses of an account's server.
struct EndpointText {
    let account: Account
    let settings: EndpointSettings
    /// The address that the server announces and the account does not have.
    let announced: ServerAddress?

    func lines(_ style: Style) -> [String] {
        var table = Table(["ADDRESS", "KIND"])
        if let local = settings.local { table.add([local.address.url, "local"]) }
        for endpoint in settings.external { table.add([endpoint.address.url, "external"]) }
        table.add([account.serverURL.url, "own"])
        var lines = table.lines(heading: style.strong)
        if !settings.wifiNames.isEmpty {
            lines.append("Local on the Wi-Fi networks: \(settings.wifiNames.map(\.printable).joined(separator: ", "))")
        }
        if let announced {
            lines.append(
                "The server announces \(announced). To add it: latch endpoints add \(announced.url.forShell)")
        }
        return lines
    }

    var json: JSONValue {
        [
            "account": AccountText.json(account),
            "local": settings.local.map { .string($0.address.url) } ?? .null,
            "external": .array(settings.external.map { .string($0.address.url) }),
            "wifiNames": .array(settings.wifiNames.map { .string($0) }),
            "announced": announced.map { .string($0.url) } ?? .null,
        ]
    }
}
