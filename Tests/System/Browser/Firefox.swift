import BrowserDriver
import CLibrary
import Foundation
import HTTPMessages
import Synchronization
import TestSupport

/// Firefox with a window, started by somebody else through ``command`` or as ``programs``' `firefox`, and steered from here.
///
/// It hands links of the custom schemes to the desktop's own handler without asking, as after "always allow".
///
/// Source: firefox-source-docs.mozilla.org, "Marionette"; the port is any, and Firefox says on its output which.
final class Firefox: DrivenBrowser {
    let command: String
    let programs: String
    private let said: Int32
    private let connection = Mutex<Marionette?>(nil)

    /// Prepares the programs in `folder`; nothing runs yet.
    ///
    /// - Parameters:
    ///   - folder: Where.
    ///   - schemes: The schemes whose links are handed on.
    /// - Throws: When a file cannot be written.
    init(in folder: String, schemes: [String]) throws {
        let handlers: JSONValue = [
            "defaultHandlersVersion": [:], "mimeTypes": [:],
            // The desktop's program. Source: `nsIHandlerInfo.useSystemDefault`.
            "schemes": .object(schemes.map { JSONValue.Member($0, ["action": 4]) }),
        ]
        try Data(handlers.encoded()).write(to: URL(fileURLWithPath: folder + "/handlers.json"))
        let settings =
            [("marionette.port", "0"), ("datareporting.policy.dataSubmissionEnabled", "false")]
            // No question whether the page may. Source: Firefox, `ContentDispatchChooser.sys.mjs`.
            + schemes.map { ("network.protocol-handler.external." + $0, "true") }
        try settings.map { "user_pref(\"\($0)\", \($1));\n" }.joined().write(
            toFile: folder + "/settings.js", atomically: true, encoding: .utf8)
        (command, programs) = (folder + "/firefox", folder + "/programs")
        let pipe = folder + "/firefox-says"
        guard mkfifo(pipe, 0o600) == 0 else { throw ChildProcess.Failure("No pipe.") }
        // Both directions: opening waits for nobody, and the end stays when Firefox goes.
        said = open(pipe, O_RDWR | O_CLOEXEC)
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
        // It may be started with this folder alone as PATH.
        let start = """
            PATH=/usr/bin:/bin
            cp '\(folder)/handlers.json' "$profile/handlers.json"
            cat '\(folder)/settings.js' >>"$profile/user.js"
            exec /usr/bin/firefox-esr --marionette "$@" >'\(pipe)' 2>/dev/null
            """
        let own = "profile='\(folder)/firefox-profile'; mkdir -p \"$profile\""
        try Self.write("\(own)\nset -- --new-instance --profile \"$profile\" \"$@\"\n\(start)", to: command)
        let given = "for word; do case $before in --profile) profile=$word ;; esac; before=$word; done"
        try Self.write("\(given)\n\(start)", to: programs + "/firefox")
    }

    deinit {
        CLibrary.close(said)
    }

    func act(on text: String, _ script: String) async throws {
        while true {
            try Task.checkCancellation()
            let marionette = try await marionette()
            // One that was ended meanwhile is left, and the next one waited for.
            guard (try? await marionette.switchToPage(text)) == true else { continue }
            let response = try? await marionette.call(
                "WebDriver:ExecuteScript", ["script": .string("return \(script)"), "args": []])
            if response?["value"]?.bool == true { return }
        }
    }

    func close() async {
        guard let marionette = connection.withLock({ $0 }) else { return }
        connection.withLock { $0 = nil }
        _ = try? await marionette.call("Marionette:Quit", ["flags": ["eForceQuit"]])
    }

    /// The connection to the Firefox that runs now.
    private func marionette() async throws -> Marionette {
        if let open = connection.withLock({ $0 }), await open.isOpen { return open }
        let prefix = "Listening on port "
        let said = said
        let line = await BackgroundThread.run { Self.line(of: said, with: prefix) }
        guard let port = line?.components(separatedBy: prefix).last.flatMap({ Int($0) }) else {
            throw ChildProcess.Failure("Firefox did not say where it listens.")
        }
        let made = try await Marionette(port: port)
        connection.withLock { $0 = made }
        return made
    }

    /// The next line with these words, for which it waits two minutes: it may be the first start on this machine.
    private static func line(of pipe: Int32, with words: String) -> String? {
        let deadline = ContinuousClock.now + .seconds(120)
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while ContinuousClock.now < deadline {
            var waiting = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 100) == 1 else { continue }
            guard read(pipe, &byte, 1) == 1 else { return nil }
            guard byte == UInt8(ascii: "\n") else {
                line.append(byte)
                continue
            }
            let text = String(decoding: line, as: UTF8.self)
            if text.contains(words) { return text }
            line = []
        }
        return nil
    }

    private static func write(_ script: String, to path: String) throws {
        try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
}

/// One connection to a Firefox that is steered: `length:[0, id, command, parameters]`, answered by
/// `length:[1, id, error, result]`.
///
/// Source: firefox-source-docs.mozilla.org, "Marionette protocol", version 3.
private actor Marionette {
    private let socket: RawSocket
    private var lastID = 0
    private var unread: [UInt8] = []
    /// Whether Firefox has not gone yet.
    private(set) var isOpen = true

    init(port: Int) async throws {
        socket = try RawSocket(port: port, deadline: 120)
        _ = try await read()
        _ = try await call("WebDriver:NewSession", [:])
    }

    /// Turns to the page whose address contains `text`; whether there is one.
    func switchToPage(_ text: String) async throws -> Bool {
        for handle in try await call("WebDriver:GetWindowHandles", [:]).array ?? [] {
            // Either may fail for a window that closes at this moment.
            _ = try? await call("WebDriver:SwitchToWindow", ["handle": handle])
            let address = try? await call("WebDriver:GetCurrentURL", [:])["value"]?.string
            if address?.contains(text) == true { return true }
        }
        return false
    }

    /// Asks and waits for the answer.
    func call(_ command: String, _ parameters: JSONValue) async throws -> JSONValue {
        lastID += 1
        let id = Double(lastID)
        let message = JSONValue.array([0, .number(id), .string(command), parameters]).encoded()
        let response: [JSONValue]
        do {
            try socket.write(Array("\(message.count):".utf8) + message)
            response = try await self.response(to: id)
        } catch {
            isOpen = false
            throw error
        }
        guard response[2] == .null else {
            throw ChildProcess.Failure("Firefox refuses \(command): \(response[2]["message"]?.string ?? "")")
        }
        return response[3]
    }

    private func response(to id: Double) async throws -> [JSONValue] {
        while true {
            if let response = try await read().array, response.count == 4, response[1].number == id { return response }
        }
    }

    private func read() async throws -> JSONValue {
        while true {
            if let colon = unread.firstIndex(of: UInt8(ascii: ":")),
                let length = Int(String(decoding: unread[..<colon], as: UTF8.self)), unread.count > colon + length
            {
                let message = Array(unread[(colon + 1)...].prefix(length))
                unread = Array(unread[(colon + 1 + length)...])
                return try JSONValue(parsing: message)
            }
            let socket = socket
            let more = try await BackgroundThread.run { Result { try socket.readSome() } }.get()
            guard !more.isEmpty else { throw ChildProcess.Failure("Firefox closed the connection.") }
            unread += more
        }
    }
}
