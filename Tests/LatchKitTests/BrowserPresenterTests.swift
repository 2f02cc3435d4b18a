import Testing

@testable import LatchKit

/// Sign-in pages that the program presents itself.
struct BrowserPresenterTests {
    /// A presenter that returns at once, with what it was told in the callback address.
    private struct Presenter: BrowserPresenting {
        func present(_ address: String, callback: String, isEphemeral: Bool) async throws -> String? {
            "\(callback)?page=\(address)&isEphemeral=\(isEphemeral)"
        }
    }

    @Test(
        "TT-2 a presenter must share no cookies exactly where the server's family requires it",
        arguments: [("timetracker", true), ("onyx", false), ("app.immich", false), ("relate-mail", false)])
    func ephemeral(scheme: String, isEphemeral: Bool) async throws {
        let dialects = Dialects.all.compactMap { $0 as? any BrowserDialect }
        let dialect = try #require(dialects.first { $0.callback.hasPrefix(scheme + ":") })
        let browser = try Browser.presenter(Presenter()).chosen(for: dialect)
        let end = await browser.open("https://server.example", callback: dialect.callback, profiles: "")
        #expect(end == .returned("\(dialect.callback)?page=https://server.example&isEphemeral=\(isEphemeral)"))
    }

    @Test("TT-1 the schemes of all families are listed once for the registration of a program")
    func schemes() {
        #expect(
            BrowserSignIn.callbackSchemes.sorted() == [
                "app.immich", "io.github.latchstring", "onyx", "relate-mail", "timetracker",
            ])
    }
}
