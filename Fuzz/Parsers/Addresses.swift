import HostNames

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
        FuzzedParser("host-name") { input in
            guard let name = try? HostNames.ascii(input.text) else { return }
            try require(
                name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-_.".utf8.contains($0) },
                "The host name \(name) has a character that host names must not contain.")
            try require((1...253).contains(name.utf8.count), "The length of a host name is wrong.")
            try require(
                name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { (1...63).contains($0.count) },
                "The length of a label of \(name) is wrong.")
            try require((try? HostNames.ascii(name)) == name, "The host name \(name) changes when it is read again.")
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
