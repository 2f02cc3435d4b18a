/// A real browser that a test steers.
public protocol DrivenBrowser: Sendable {
    /// The program that opens an address in it, with a profile of its own.
    var command: String { get }
    /// The folder with a program of its name, for what looks for one in `PATH` and gives it a profile.
    var programs: String { get }
    /// Runs a script in the page whose address contains `text`, again until it returns `true`, as a person's own act.
    func act(on text: String, _ script: String) async throws
    /// Ends it.
    func close() async
}

extension DrivenBrowser {
    /// Fills in the sign-in page of the sandbox's provider, as soon as it is shown, and presses a button.
    ///
    /// - Parameters:
    ///   - button: The value of the button: `allow` or `deny`.
    ///   - email: The e-mail address.
    ///   - password: The password.
    ///   - provider: The address of the provider.
    /// - Throws: When the browser does not respond.
    public func press(_ button: String, as email: String, _ password: String, at provider: String) async throws {
        try await act(
            on: provider,
            """
            (() => {
                const form = document.forms[0]
                if (!form || document.readyState !== 'complete') return false
                form.email.value = '\(email)'
                form.password.value = '\(password)'
                form.querySelector('button[value=\(button)]').click()
                return true
            })()
            """)
    }
}
