@testable import HTTPClient
@testable import LatchKit

extension FuzzedParser {
    static let addresses = [
        FuzzedParser("server-address") { input in
            guard let address = try? ServerAddress(input.text) else { return }
            let again = try? ServerAddress(address.url)
            try require(again == address, "The address \(address.url) does not give itself when it is read again.")
            try require(
                address.url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F },
                "The address \(address.url) holds a byte that no address may hold.")
            try require(!address.authority.contains("@"), "A user name got into \(address.url).")
            try require(!address.host.isEmpty && address.host.utf8.count <= 253, "The host's length is wrong.")
            if let url = try? address.url(of: "/api/me") {
                try require(url.hasPrefix(address.origin), "A path of \(address.url) leads elsewhere, to \(url).")
            }
        },
        FuzzedParser("punycode") { input in
            let text = input.text
            if let scalars = Punycode.decode(text) {
                let label = String(String.UnicodeScalarView(scalars))
                let encoded = Punycode.encode(label)
                guard let encoded, let again = Punycode.decode(encoded) else { return }
                try require(again == scalars, "Punycode that was decoded is other text when it is encoded again.")
            }
            guard let encoded = Punycode.encode(text) else { return }
            try require(encoded.utf8.allSatisfy { $0 < 0x80 }, "Punycode is not ASCII.")
            try require(
                Punycode.decode(encoded) == Array(text.unicodeScalars),
                "A label is not the same after Punycode and back.")
        },
        // The address of a request, then the Location of a redirect.
        FuzzedParser("redirect") { input in
            let lines = input.lines(2)
            guard let address = try? RequestAddress(parsing: lines[0].text) else { return }
            let target = try? address.resolving(lines.count > 1 ? lines[1].text : "/")
            for one in [address, target].compactMap(\.self) {
                try require(["http", "https"].contains(one.scheme), "An address has the scheme \(one.scheme).")
                try require((1...65_535).contains(one.port) && !one.host.isEmpty, "An address has no host or port.")
                try require(!one.url.utf8.contains { $0 <= 32 || $0 == 127 }, "An address holds a control character.")
                let again = try? RequestAddress(parsing: one.url)
                try require(again?.hasSameOrigin(as: one) == true, "\(one.url) read again has another origin.")
            }
        },
        FuzzedParser("email") { input in
            guard let email = try? EmailAddress(typed: input.text) else { return }
            try require((try? EmailAddress(email.text)) == email, "An e-mail address changes when it is read again.")
        },
    ]
}
