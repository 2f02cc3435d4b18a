import DesktopDriver
import Foundation
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

/// Runs the window for Ada, whose Immich server is that of the suite's sandbox with responses of the test before it.
///
/// - Parameters:
///   - full: A folder of the person that is a full disk for the window, below the folder of all others. Nil: none.
///   - respond: Returns the response to a method and a path with its query. Nil: that of the sandbox.
///   - body: The test. The window shows the app of the account.
/// - Throws: The error of the test.
@Accessibility
func withForwardedAccount(
    full: String? = nil, _ respond: @escaping @Sendable (_ method: String, _ path: String) -> ScriptedServer.Response?,
    _ body: @Accessibility (DesktopApp, PersonFolders, ScriptedServer) async throws -> Void
) async throws {
    let sandbox = try #require(SandboxTrait.sandbox)
    let address = sandbox.addresses["immich"]!
    let server = try ScriptedServer { respond($0, $1) ?? .forward(to: address) }
    defer { server.stop() }
    let folders = try PersonFolders()
    let login = try await folders.latch(
        "login", server.address, "--email", "ada@example.org", "--password-stdin",
        input: sandbox.passwords["ada@example.org"]! + "\n")
    try #require(login.code == 0, "\(login.errors)")
    let disk = full.map { folders.root.appending(path: $0) }
    if let disk { try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true) }
    try await withApp(folders, full: disk) { app, folders in
        try await app.wait(for: .label, "ada@example.org")
        try await body(app, folders, server)
    }
}
