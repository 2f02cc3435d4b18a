import Foundation
import Synchronization
import TestSupport

@testable import LatchKit

/// A person at a browser: opens the address that a sign-in shows and lets the browser go where the server sends it.
struct BrowserPerson: Sendable {
    let home: HomeFixture
    /// The addresses that sign-ins showed, in order.
    let addresses = AsyncStream.makeStream(of: String.self)
    /// Everything else that sign-ins told.
    let otherEvents = AsyncStream.makeStream(of: BrowserSignIn.Event.self)

    /// A sign-in whose address comes here and whose browser is this person.
    func signIn(
        _ callback: CallbackMethod = .automatic, provider: String? = nil, browser: Browser? = nil,
        timeout: Duration = .seconds(300), promptForCallback: (@Sendable () async throws -> String?)? = nil
    ) -> BrowserSignIn {
        let report: @Sendable (BrowserSignIn.Event) -> Void = { event in
            if case .waiting(let address, _) = event {
                addresses.continuation.yield(address)
            } else {
                otherEvents.continuation.yield(event)
            }
        }
        return BrowserSignIn(
            provider: provider, callback: callback, browser: browser, timeout: timeout, onEvent: report,
            promptForCallback: promptForCallback)
    }

    /// The next address that a sign-in shows.
    func address() async -> String {
        for await address in addresses.stream { return address }
        return ""
    }

    /// The link by which the browser comes back, when the person has signed in at `address`.
    func link(from address: String) async throws -> String {
        let response = try await Program.run(
            "curl",
            [
                "--silent", "--insecure", "--output", "/dev/null", "--write-out", "%header{location}\\n%{redirect_url}",
                address,
            ])
        // Curl makes a whole address of a path, and something else of a custom scheme with an empty host.
        let (written, complete) = (
            response.output.split(separator: "\n").first ?? "", response.output.split(separator: "\n").last ?? ""
        )
        return String(written.hasPrefix("/") ? complete : written)
    }

    /// Hands a link of the custom scheme over as its handler does.
    func open(_ link: String) throws {
        try CallbackLink(link).deliver(folders: home.folders)
    }

    /// Goes to a loopback address as a browser does; the status and the page.
    func visit(_ link: String) async throws -> (status: String, page: String) {
        let response = try await Program.run("curl", ["--silent", "--include", link])
        return (response.output.split(separator: " ").dropFirst().first.map(String.init) ?? "", response.output)
    }
}
