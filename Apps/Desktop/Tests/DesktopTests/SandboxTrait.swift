import DesktopDriver
import Testing

/// Gives the tests of a suite one sandbox, which is started before the first of them and ended after the last.
struct SandboxTrait: SuiteTrait, TestScoping {
    @TaskLocal static var sandbox: RunningSandbox?

    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withSandbox { sandbox in try await Self.$sandbox.withValue(sandbox) { try await body() } }
    }
}

extension Trait where Self == SandboxTrait {
    /// One sandbox for all tests of the suite.
    static var sandbox: Self { SandboxTrait() }
}

/// Runs the window for a person who is signed in at the suite's sandbox.
///
/// - Parameters:
///   - email: The e-mail address of the person.
///   - dialect: The dialect of the gateway.
///   - body: The test. The window shows the app of the account.
/// - Throws: The error of the test.
@Accessibility
func withAccount(
    _ email: String = "ada@example.org", _ dialect: String = "immich",
    _ body: @Accessibility (DesktopApp, PersonFolders, RunningSandbox) async throws -> Void
) async throws {
    let sandbox = try #require(SandboxTrait.sandbox)
    let folders = try PersonFolders()
    try await folders.signIn(email, sandbox, dialect)
    try await withApp(folders) { app, folders in
        try await app.wait(for: .label, email)
        try await body(app, folders, sandbox)
    }
}
