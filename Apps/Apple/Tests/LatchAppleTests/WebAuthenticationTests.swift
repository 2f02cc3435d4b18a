// Type-checked on Linux against stand-ins of the frameworks, never run on an Apple system.

import AuthenticationServices
import Foundation
import LatchKit
import Testing

@testable import LatchApple

struct WebAuthenticationTests {
    private static let page = "https://time.example.org/auth/login?redirect_uri=timetracker://oauth/callback"

    @Test("TT-1 TT-2 TT-3 the session is ephemeral, opens exactly the address, and ends at the scheme of the callback")
    func request() throws {
        let request = try WebAuthenticationRequest(
            Self.page, callback: "timetracker://oauth/callback", isEphemeral: true)
        #expect(request.url.absoluteString == Self.page)
        #expect(request.scheme == "timetracker")
        #expect(request.isEphemeral)
    }

    @Test("TT-2 the session of the system is ephemeral exactly when it is asked for", arguments: [true, false])
    @MainActor func session(isEphemeral: Bool) throws {
        let request = try WebAuthenticationRequest(
            Self.page, callback: "timetracker://oauth/callback", isEphemeral: isEphemeral)
        let run = WebAuthenticationRun(request) { ASPresentationAnchor() }
        let session = run.makeSession { _ in }
        #expect(session.prefersEphemeralWebBrowserSession == isEphemeral)
        #expect(session.presentationContextProvider === run)
    }

    @Test("OX-9 a callback with three slashes has a scheme too, and the cookies of the person are used")
    func immich() throws {
        let request = try WebAuthenticationRequest(
            "https://id.example.org", callback: "app.immich:///oauth-callback", isEphemeral: false)
        #expect(request.scheme == "app.immich")
        #expect(!request.isEphemeral)
    }

    @Test("OX-9 a callback to a port and a page without web address are refused")
    func refused() {
        let port = #expect(throws: LatchError.self) {
            try WebAuthenticationRequest(Self.page, callback: "http://127.0.0.1:4000/", isEphemeral: false)
        }
        #expect(port?.code == .callbackUnavailable)
        let file = #expect(throws: LatchError.self) {
            try WebAuthenticationRequest("file:///etc", callback: "onyx://auth/callback", isEphemeral: false)
        }
        #expect(file?.code == .invalidAddress)
    }

    @Test("OX-9 a closed page ends the sign-in, and another error does not claim that it was closed")
    func results() throws {
        let link = try #require(URL(string: "onyx://auth/callback?code=1&state=2"))
        #expect(try WebAuthenticationRun.result(link, nil).get() == "onyx://auth/callback?code=1&state=2")
        let closed = #expect(throws: LatchError.self) {
            try WebAuthenticationRun.result(nil, ASWebAuthenticationSessionError(.canceledLogin)).get()
        }
        #expect(closed?.code == .browserClosed)
        let other = #expect(throws: LatchError.self) { try WebAuthenticationRun.result(nil, nil).get() }
        #expect(other?.code == .browserMissing)
    }
}
