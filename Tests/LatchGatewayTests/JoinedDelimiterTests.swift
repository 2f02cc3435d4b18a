import HTTPMessages
import TestSupport
import Testing

@testable import AuthorizationServer
@testable import GatewayCore
@testable import GatewayHTTP

/// Lists from outside, in which a mark forms one character with a delimiter.
@Suite("Delimiters beside marks that join them")
struct JoinedDelimiterTests {
    @Test("scopes are separated at each space", arguments: JoiningMarks.all)
    func scopes(mark: String) {
        #expect(OAuthScope.known(in: "\(mark) openid \(mark)x profile") == ["openid", "profile"])
        #expect(OAuthScope.known(in: "x\(mark) email", and: [mark]) == ["email"])
        #expect(
            ClientGrant.words("a\(mark) b \(mark)c").map { Array($0.utf8) }
                == ["a\(mark)", "b", "\(mark)c"].map { Array($0.utf8) })
        #expect(AuthorizationParameters.level("x\(mark) multi-factor \(mark)") == .multiFactor)
    }

    @Test("an e-mail address has one '@', which nothing joins", arguments: JoiningMarks.all)
    func emailAddresses(mark: String) {
        for text in [
            "a@\(mark)b@example.org", "a\(mark)@b@example.org", "a@b\(mark)@example.org", "a@\(mark)@example.org",
        ] {
            #expect(throws: GatewayError.self) { try EmailAddress(text) }
        }
        let isCombining = ["\u{301}", "\u{338}"].contains(mark)
        let joined = isCombining ? "a@\(mark)example.org" : "a\(mark)@example.org"
        #expect(throws: GatewayError.self) { try EmailAddress(joined) }
    }

    @Test("groups with different bytes are different, and each has its line", arguments: JoiningMarks.all)
    func groups(mark: String) {
        let names = ["a\(mark)", "\(mark)b", "ren\u{E9}", "rene\u{301}", "rene\u{301}"]
        let read = IdentityGroups.read(IdentityGroups.write(names))
        #expect(Set(read.map { ExactText($0) }) == Set(names.map { ExactText($0) }))
        #expect(read.count == 4)
        #expect(IdentityGroups.write(names.reversed()).utf8.elementsEqual(IdentityGroups.write(names).utf8))
        #expect(IdentityGroups.write(["a\r\nb", "c\n\(mark)"]).isEmpty)
    }

    @Test("a page is found among the media types that are accepted", arguments: JoiningMarks.all)
    func mediaTypes(mark: String) {
        for value in ["x/\(mark),text/html", "text/html,\(mark)x/y", "text/html;\(mark)a=b", "x\(mark) ,text/html"] {
            let headers: HTTPHeaders = ["Accept": value]
            #expect(headers.acceptsPage, "\(value.unicodeScalars.map(\.value))")
        }
    }
}
