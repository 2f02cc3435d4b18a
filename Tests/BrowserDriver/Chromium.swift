import Foundation
import HTTPMessages
import TestSupport

/// Chromium with a window and a profile of its own, started by somebody else through ``command`` and steered from here.
///
/// It hands links of the custom scheme to the desktop without asking, as after "always allow" for these origins. Steering goes
/// over two named pipes, so that no port is open.
///
/// Source: Chrome DevTools Protocol, `--remote-debugging-pipe`: JSON messages that end with NUL.
public final class Chromium: DrivenBrowser {
    /// The program that opens an address in it.
    public let command: String
    /// The folder with a program called `chromium`, which gets its profile from its caller.
    public let programs: String
    private let pipes: DebuggingPipes
    private let directory: TemporaryDirectory
    /// Where it has the socket that tells a second start of the first.
    private let sockets: TemporaryDirectory

    /// Prepares a profile and the command in a folder of its own; nothing runs yet.
    ///
    /// - Parameters:
    ///   - schemes: The schemes whose links are handed on.
    ///   - origins: The addresses of the servers whose pages may do so.
    /// - Throws: When a file cannot be written.
    public init(schemes: [String], origins: [String]) throws {
        directory = try TemporaryDirectory()
        let folder = directory.path
        let allowed = JSONValue.object(schemes.map { JSONValue.Member($0, true) })
        let preferences: JSONValue = [
            "protocol_handler": [
                "allowed_origin_protocol_pairs": .object(
                    origins.map { JSONValue.Member(Self.origin(of: $0), allowed) })
            ]
        ]
        try Data(preferences.encoded()).write(to: URL(fileURLWithPath: folder + "/preferences"))
        pipes = try DebuggingPipes(folder)
        sockets = try .forSockets()
        (command, programs) = (folder + "/browser", folder + "/programs")
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
        // Its sandbox does not work as root and in many containers, and all pages here are the test's own.
        let start = """
            PATH=$PATH:/usr/bin:/bin
            export TMPDIR='\(sockets.path)'
            mkdir -p "$profile/Default" && cp '\(folder)/preferences' "$profile/Default/Preferences"
            exec /usr/bin/chromium --no-sandbox --disable-gpu --disable-dev-shm-usage --remote-debugging-pipe \\
                "$@" 3<'\(pipes.input)' 4>'\(pipes.output)' 2>/dev/null
            """
        let own =
            "set -- --user-data-dir='\(folder)/chromium' --no-first-run --no-default-browser-check --password-store=basic \"$@\""
        try Self.write("profile='\(folder)/chromium'\n\(own)\n\(start)", to: command)
        try Self.write(
            "for word; do case $word in --user-data-dir=*) profile=${word#*=} ;; esac; done\n\(start)",
            to: programs + "/chromium")
    }

    /// Scheme, host and port of a web address.
    private static func origin(of address: String) -> String {
        address.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
    }

    private static func write(_ script: String, to path: String) throws {
        try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    /// Runs a script in the page whose address contains `text`, again until it returns `true`.
    ///
    /// - Parameters:
    ///   - text: A part of the address of the page.
    ///   - script: The script.
    /// - Throws: `CancellationError`; an error when Chromium does not respond.
    public func act(on text: String, _ script: String) async throws {
        while true {
            try Task.checkCancellation()
            guard let session = try await page(text) else { continue }
            let response = try await pipes.call(
                "Runtime.evaluate", ["expression": .string(script), "userGesture": true, "returnByValue": true], session
            )
            if response["result"]?["result"]?["value"]?.bool == true { return }
        }
    }

    /// Ends it.
    public func close() async {
        _ = try? await pipes.call("Browser.close", [:], nil)
    }

    /// The session with a page; nil while there is none.
    private func page(_ text: String) async throws -> String? {
        let targets = try await pipes.call("Target.getTargets", [:], nil)["result"]?["targetInfos"]?.array ?? []
        let page = targets.first { $0["type"]?.string == "page" && $0["url"]?.string?.contains(text) == true }
        guard let id = page?["targetId"]?.string else { return nil }
        let response = try await pipes.call("Target.attachToTarget", ["targetId": .string(id), "flatten": true], nil)
        return response["result"]?["sessionId"]?.string
    }
}

/// The two named pipes between a test and Chromium.
private final class DebuggingPipes: Sendable {
    /// What Chromium reads, and what it writes.
    let (input, output): (String, String)
    private let (writer, reader): (Int32, Int32)

    init(_ folder: String) throws {
        (input, output) = (folder + "/to-chromium", folder + "/from-chromium")
        guard mkfifo(input, 0o600) == 0, mkfifo(output, 0o600) == 0 else { throw ChildProcess.Failure("No pipe.") }
        // Both directions: opening waits for nobody, and neither end closes when Chromium comes or goes.
        (writer, reader) = (open(input, O_RDWR | O_CLOEXEC), open(output, O_RDWR | O_CLOEXEC))
    }

    deinit {
        close(writer)
        close(reader)
    }

    /// Asks and waits for the answer, at most two minutes: it may be the first start of Chromium on this machine, and among
    /// many other programs. One question at a time.
    func call(_ method: String, _ parameters: JSONValue, _ session: String?) async throws -> JSONValue {
        let id = Int.random(in: 1..<1 << 30)
        var message: [JSONValue.Member] = [
            .init("id", .number(Double(id))), .init("method", .string(method)), .init("params", parameters),
        ]
        if let session { message.append(.init("sessionId", .string(session))) }
        let bytes = JSONValue.object(message).encoded() + [0]
        let (writer, reader) = (writer, reader)
        let response = await BackgroundThread.run { () -> JSONValue? in
            _ = write(writer, bytes, bytes.count)
            return Self.response(to: id, reader)
        }
        guard let response else { throw ChildProcess.Failure("Chromium did not answer \(method).") }
        return response
    }

    /// Reads messages, and leaves out what is no answer to `id`.
    private static func response(to id: Int, _ reader: Int32) -> JSONValue? {
        let deadline = ContinuousClock.now + .seconds(120)
        var message: [UInt8] = []
        var byte: UInt8 = 0
        while ContinuousClock.now < deadline {
            var waiting = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 100) == 1 else { continue }
            guard read(reader, &byte, 1) == 1 else { return nil }
            guard byte == 0 else {
                message.append(byte)
                continue
            }
            if let value = try? JSONValue(parsing: message), value["id"]?.number == Double(id) { return value }
            message = []
        }
        return nil
    }
}
