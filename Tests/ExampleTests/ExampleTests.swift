import Foundation
import LatchDownloads
import LatchKit
import TestSupport
import Testing

/// Runs the examples of the documentation as a program outside this package would: with the public API only.
@Suite("Examples in the documentation", .timeLimit(.minutes(20)))
struct ExampleTests {
    @Test("IM-4 IM-10 OX-14 RM-3 DL-1 the examples sign in, call, list, change the password and download")
    func run() async throws {
        let sandbox = try await SandboxProgram()
        let folder = try TemporaryDirectory()
        let (url, user) = (sandbox.report.immich.url, sandbox.report.users[0])
        let latch = try await Examples.open(folder.file("data"))

        let account = try await Examples.signIn(latch, url, user.email, Secret(user.password))
        let me = try await Examples.call(latch, account)
        #expect(me.email == user.email)
        let client = try latch.session(for: account).client
        #expect(try await Examples.handleErrors(client) == nil)
        #expect(try await Examples.restore(latch) == .signedIn(.verified))
        await Examples.list(latch) { $0.first?.state == .signedIn(.verified) }

        let progress = try await Examples.download(latch, account, folder.file("pictures"))
        #expect(progress.done > 0 && progress.failed == 0)
        let page = try await client.post("/api/search/metadata", ["size": 1], as: SearchPage.self)
        let id = try #require(page.assets.items.first?.id)
        try await Examples.downloadOne(client, "/api/assets/\(id)/original", folder.file("one"))
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("one"))[.posixPermissions] as? Int
        #expect(mode == 0o666 & ~Self.mask)
        let error = await #expect(throws: LatchError.self) {
            try await Examples.downloadOne(client, "/api/assets/\(id)/original", folder.file("one"))
        }
        #expect(error?.code == .fileFailed)
        let missing = await #expect(throws: LatchError.self) {
            try await Examples.downloadOne(client, "/api/assets/\(UUID())/original", folder.file("none"))
        }
        #expect(missing?.code == .serverRefused && !FileManager.default.fileExists(atPath: folder.file("none")))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasSuffix(".part") })

        let chooser = DownloadChooser(account, try latch.session(for: account))
        for try await tasks in chooser.pages(of: DownloadSelection(ids: [id])) {
            let queue = try await Examples.download(tasks[0], latch, to: folder.file("plain"))
            try await Examples.supervise(queue)
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.file("plain"))
        #expect(files.count { $0 != ".latchstring" } == 1)

        let unreadable = await #expect(throws: LatchError.self) {
            _ = try await client.get("/api/users/me", as: SearchPage.self)
        }
        #expect(unreadable?.code == .unreadableResponse)
        #expect(unreadable?.message.contains("'assets' is missing") == true)

        try await Examples.changeThePassword(
            latch, account, from: Secret(user.password), to: Secret("a longer password 7"))
        await latch.close()
        await sandbox.end()
    }

    @Test("OX-13 the first steps work with the folders and the secret store of the environment")
    func firstSteps() async throws {
        let sandbox = try await SandboxProgram()
        let folder = try TemporaryDirectory()
        let user = sandbox.report.users[0]
        let arguments = [sandbox.report.immich.url, user.email, user.password, folder.path]
        await #expect(processExitsWith: .success) { [arguments = arguments as [String]] in
            let (url, email, password, path) = (arguments[0], arguments[1], arguments[2], arguments[3])
            for name in ["DATA_HOME", "STATE_HOME", "CACHE_HOME", "RUNTIME_DIR"] { setenv("XDG_" + name, path, 1) }
            unsetenv("DBUS_SESSION_BUS_ADDRESS")
            let me = try await Examples.firstSteps(url, email, password)
            #expect(me.email == email)
        }
        #expect(FileManager.default.fileExists(atPath: folder.file("latchstring/latchstring.db")))
        await sandbox.end()
    }

    @Test("IM-6 IM-13 IM-15 the examples add an address, follow events, and lock and unlock the device")
    func addressesEventsLock() async throws {
        let sandbox = try await SandboxProgram()
        let folder = try TemporaryDirectory()
        let (url, user) = (sandbox.report.immich.url, sandbox.report.users[0])
        let latch = try await Examples.open(folder.file("data"))
        let account = try await Examples.signIn(latch, url, user.email, Secret(user.password))

        try await Examples.addAnAddress(latch, account, url.replacing("127.0.0.1", with: "localhost"))
        let settings = try await latch.endpoints(of: account)
        #expect(settings.local?.address.host == "localhost" && settings.wifiNames == ["Home sweet home"])

        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let session = try latch.session(for: account)
        let following = Task { try await Examples.followEvents(session) { line.yield($0) } }
        for await line in lines where line.hasPrefix("Connected") { break }
        following.cancel()
        _ = await following.result

        try await Examples.protectTheDevice(latch, with: Secret("274951"))
        #expect(try latch.lock.state == .locked)
        try await Examples.unlockTheDevice(latch, with: Secret("274951"))
        #expect(try latch.lock.state == .unlocked)
        #expect(try await Examples.call(latch, account).email == user.email)
        try await latch.lock.remove(with: Secret("274951"))
        await latch.close()
        await sandbox.end()
    }

    @Test("IM-7 OX-9 a program shows the sign-in page itself and passes the callback on")
    func presenter() async throws {
        let sandbox = try await SandboxProgram()
        let folder = try TemporaryDirectory()
        let latch = try await LatchClient.open(.init(folders: Folders(data: folder.path), secrets: MemoryStore()))
        let server = try await latch.probe(ServerAddress(sandbox.report.immich.url)).requireServer()
        #expect(Examples.chooseSignIn(server).contains("Password") && server.features.signsInWithBrowser)

        let person = ConsentingPerson(user: sandbox.report.users[0])
        let account = try await Examples.signInWithBrowser(latch, server, person)
        #expect(account.userEmail == sandbox.report.users[0].email && account.isSignedIn)

        let closed = await #expect(throws: LatchError.self) {
            _ = try await Examples.signInWithBrowser(latch, server, ClosingPerson())
        }
        #expect(closed?.code == .browserClosed)
        let cancelled = await #expect(throws: LatchError.self) {
            _ = try await Examples.signInWithBrowser(latch, server, CancellingPerson())
        }
        #expect(cancelled?.code == .browserClosed)
        let strange = await #expect(throws: LatchError.self) {
            _ = try await Examples.signInWithBrowser(latch, server, WrongStatePerson())
        }
        #expect(strange?.code == .callbackInvalid)
        let late = await #expect(throws: LatchError.self) {
            let signIn = BrowserSignIn(browser: .presenter(UncancellablePerson()), timeout: .seconds(1))
            _ = try await latch.signIn(signIn, to: server)
        }
        #expect(late?.code == .signInTimedOut)
        await latch.close()
        await sandbox.end()
    }

    /// The file mode creation mask of this process.
    private static let mask: Int = {
        let mask = umask(0)
        umask(mask)
        return Int(mask)
    }()

    private struct ClosingPerson: BrowserPresenting {
        func present(_ address: String, callback: String, isEphemeral: Bool) async throws -> String? {
            throw LatchError(.browserClosed, "The page was closed.")
        }
    }

    private struct CancellingPerson: BrowserPresenting {
        func present(_ address: String, callback: String, isEphemeral: Bool) async throws -> String? {
            throw CancellationError()
        }
    }

    private struct WrongStatePerson: BrowserPresenting {
        func present(_ address: String, callback: String, isEphemeral: Bool) async throws -> String? {
            callback + "?code=mine&state=another"
        }
    }

    /// A presenter that does not end when its task is cancelled.
    private struct UncancellablePerson: BrowserPresenting {
        func present(_ address: String, callback: String, isEphemeral: Bool) async throws -> String? {
            await Task.detached { try? await Task.sleep(for: .seconds(3_600)) }.value
            return nil
        }
    }

    private struct SearchPage: Decodable {
        struct Assets: Decodable { var items: [Asset] }
        struct Asset: Decodable { var id: String }

        var assets: Assets
    }

    @Test("every example in the documentation is compiled by the tests")
    func documentation() throws {
        let package = Products.packageFolder
        let source = try String(contentsOfFile: package + "/Tests/ExampleTests/Examples.swift", encoding: .utf8)
        let examples = Set(Self.examples(in: source))
        var seen: Set<String> = []
        for path in try Self.documents(in: package) {
            // The manifest of a package is not code of a program.
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let blocks = Self.blocks(in: path.hasSuffix(".swift") ? Self.comments(in: text) : text)
            for block in blocks where !block.hasPrefix("// swift-tools-version") {
                seen.insert(block)
                #expect(examples.contains(block), "\(path) has an example that Examples.swift does not:\n\(block)")
            }
        }
        #expect(examples.subtracting(seen).isEmpty, "These examples are in no document.")
    }

    /// Returns the paths of the articles, the pages for programmers and the sources with documentation comments.
    private static func documents(in package: String) throws -> [String] {
        try ["LatchKit", "LatchDownloads"].flatMap { module in
            try FileManager.default.subpathsOfDirectory(atPath: package + "/Sources/" + module)
                .filter { $0.hasSuffix(".md") || $0.hasSuffix(".swift") }.sorted()
                .map { package + "/Sources/\(module)/\($0)" }
        } + [package + "/docs/library.md", package + "/README.md"]
    }

    /// Returns the texts between `// example: …` and `// end`, without their indentation.
    private static func examples(in source: String) -> [String] {
        source.components(separatedBy: "// example: ").dropFirst().map { part in
            let lines = part.components(separatedBy: "\n").dropFirst()
            return plain(lines.prefix { $0.trimmingCharacters(in: .whitespaces) != "// end" })
        }
    }

    /// Returns the text of the documentation comments of a source file.
    private static func comments(in source: String) -> String {
        source.components(separatedBy: "\n").compactMap { line in
            let text = line.drop { $0 == " " }
            return text.hasPrefix("///") ? String(text.dropFirst(text.hasPrefix("/// ") ? 4 : 3)) : nil
        }.joined(separator: "\n")
    }

    /// Returns the Swift code of a document.
    private static func blocks(in document: String) -> [String] {
        document.components(separatedBy: "```swift\n").dropFirst().map { part in
            plain(part.components(separatedBy: "\n").prefix { !$0.hasPrefix("```") })
        }
    }

    /// Returns lines as one text, without imports and common indentation.
    private static func plain(_ lines: some Sequence<String>) -> String {
        let code = lines.filter { !$0.hasPrefix("import ") }
        let indentation = code.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return code.map { String($0.dropFirst(indentation)) }.joined(separator: "\n")
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
