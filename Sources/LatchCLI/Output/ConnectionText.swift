import HTTPMessages
import LatchKit
import Primitives
import Terminal

/// The text and JSON forms of an account's connection options, without secrets.
struct ConnectionText {
    let account: Account
    let options: ConnectionOptions

    func lines(_ style: Style) -> [String] {
        let headers = options.extraHeaders.fields.map(\.name).joined(separator: ", ")
        return [
            style.strong("\(account.userEmail.printable) at \(account.serverURL)"),
            "  Trusts              \(trust)",
            "  Client certificate  \(certificate)",
            "  Proxy               \(proxy)",
            "  Extra headers       \(headers.isEmpty ? "none" : headers.printable)",
        ]
    }

    private var trust: String {
        if let pin = options.pinnedCertificate { return "only the certificate \(pin)" }
        return switch options.authorities {
        case .system: "the system's authorities"
        case .systemAnd(let file): "the system's authorities and those in \(file.printable)"
        case .only(let file): "only the authorities in \(file.printable)"
        }
    }

    private var certificate: String {
        switch options.clientCertificate {
        case nil: "none"
        case .pem(let file, let key, _): file.printable + (key == file ? "" : ", key \(key.printable)")
        case .pkcs12(let file, _): "\(file.printable) (PKCS#12)"
        }
    }

    private var proxy: String {
        switch options.proxy {
        case nil: "from the environment"
        case "": "none"
        case let address?: Self.withoutPassword(address).printable
        }
    }

    /// Returns a proxy's address without the user name and the password.
    private static func withoutPassword(_ address: String) -> String {
        guard let host = address.split(atLastByte: "@")?.tail else { return address }
        let scheme = address.schemeMark.map { String(address[..<$0.upperBound]) } ?? ""
        return scheme + host
    }

    var json: JSONValue {
        let (kind, file): (String, String?) =
            switch options.authorities {
            case .system: ("system", nil)
            case .systemAnd(let file): ("system-and-file", file)
            case .only(let file): ("file", file)
            }
        let text: (String?) -> JSONValue = { $0.map { .string($0) } ?? .null }
        let (certificate, key): (String?, String?) =
            switch options.clientCertificate {
            case nil: (nil, nil)
            case .pem(let file, let key, _): (file, key)
            case .pkcs12(let file, _): (file, nil)
            }
        return .object([
            .init("account", AccountText.json(account)), .init("authorities", .string(kind)),
            .init("authoritiesFile", text(file)),
            .init("pinnedCertificate", text(options.pinnedCertificate?.description)),
            .init("clientCertificate", text(certificate)), .init("clientKey", text(key)),
            .init("proxy", text(options.proxy.map(Self.withoutPassword))),
            .init("headers", .array(options.extraHeaders.fields.map { .string($0.name) })),
        ])
    }
}
