import FoundationEssentials

@testable import Crypto
@testable import GatewayConfiguration
@testable import GatewayCore
@testable import GatewayHTTP
@testable import HTTPMessages
@testable import HTTPServer
@testable import LatchGateway
@testable import OAuth
@testable import ServerMessages
@testable import SignInBridge

extension FuzzedParser {
    private static let keys = BridgeKeys(Secret(bytes: [UInt8](repeating: 1, count: 32)))

    static let bridge = [
        // The input is given as the state itself, and as what a genuine state holds.
        FuzzedParser("bridge-state") { input in
            try require(
                PendingAuthorization(opening: input.text, keys) == nil, "A state that nobody sealed was opened.")
            guard input.count < 4_000, let fields = SealedFields.fields(of: input),
                let state = PendingAuthorization(fields)
            else { return }
            let again = PendingAuthorization(opening: try state.sealed(keys), keys)
            try require(again == state, "A state is another after sealing and opening.")
            if case .app(_, _, let challenge) = state.returnTo {
                try require(challenge.text.utf8.count == 43, "A state holds a challenge that is none.")
            }
        },
        // The first line is an address in question, the others are the list.
        FuzzedParser("redirect-list") { input in
            let lines = input.lines(16).map(\.text)
            let (address, listed) = (lines[0], Array(lines.dropFirst()))
            let redirects = AllowedRedirects(listed, anyLoopbackPort: false)
            let isListed = listed.contains { $0.utf8.elementsEqual(address.utf8) }
            try require(!redirects.allows(address) || isListed, "An address that is not listed is allowed.")
            guard AllowedRedirects(listed, anyLoopbackPort: true).allows(address), !isListed else { return }
            let hosts = ["http://127.0.0.1", "http://[::1]"]
            try require(
                hosts.contains { host in
                    address == host || [":", "/", "?"].contains { address.hasPrefix(host + $0) }
                },
                "A free port led away from this machine.")
            try require(
                HTTPHeaders.isSafe(name: "Location", value: address), "An address is allowed that breaks a header.")
        },
        FuzzedParser("exchange-body") { input in
            guard let body = try? JSON.decode(OnyxExchange.self, from: input) else { return }
            try require("\(body)" == "OnyxExchange", "A body shows what it holds.")
            let code = OneTimeCode(body.code)
            try require(CodeRecord(opening: input, for: code, keys) == nil, "A record that nobody sealed was opened.")
            guard let verifier = PKCE.Verifier(body.codeVerifier) else { return }
            try require(verifier.challenge.matches(verifier), "A verifier does not fit its own challenge.")
        },
        FuzzedParser("cookie") { input in
            var length = 0
            Cookies.forEach(in: input.text) { name, value in
                length += name.utf8.count + value.utf8.count + 1
                return true
            }
            try require(length <= input.text.utf8.count, "The cookies are longer than their field.")
            let kind = SessionCookie(PublicAddress(nil, isTLS: false), GatewaySettings(databasePath: nil))
            guard let token = kind.token(in: input.text) else { return }
            try require(!token.isEmpty && !token.utf8.contains(UInt8(ascii: ";")), "A session's cookie is none.")
            try require(input.text.contains("latchd_session=\(token)"), "A session's cookie was not in the field.")
        },
    ]
}
