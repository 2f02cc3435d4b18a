import CLibrary

/// A program of this project that keeps running after its terminal closes: as a systemd user service where available,
/// otherwise as a process in its own session.
///
/// Source: DL-17; `setsid(2)`; systemd.service(5).
package struct BackgroundProgram: Sendable {
    /// What supervises the program.
    package enum Supervisor: String, Sendable {
        /// systemd, as a user service. It restarts the program after a crash, and starts it whenever the user's systemd
        /// instance starts.
        case service
        /// Nothing. The program is a process in its own session.
        case itself
    }

    /// The environment variable with the path of the socket on which the starting program waits.
    private static let variable = "LATCH_READY"
    /// The timeout for the program to report that it is ready.
    private static let timeout = Duration.seconds(20)

    private let command: [String]
    private let service: ServiceFile
    private let description: String
    private let environment: [String: String]
    private let log: String

    /// Describes a program without starting it.
    ///
    /// - Parameters:
    ///   - command: The path of the program and its arguments. They must not contain secrets, because others can read
    ///     them.
    ///   - service: The unit file of the service.
    ///   - description: The description of the service for people.
    ///   - environment: The environment variables of a service. They must not contain secrets. A process inherits all
    ///     variables of the calling process.
    ///   - log: The file for the output of the program. It is created or truncated, with mode 0600. Its folder must
    ///     exist.
    package init(
        _ command: [String], as service: ServiceFile, description: String, environment: [String: String], log: String
    ) {
        self.command = command
        self.service = service
        self.description = description
        self.environment = environment
        self.log = log
    }

    /// Starts the program. Returns when it has reported that it is ready, or has exited with status 0.
    ///
    /// - Parameters:
    ///   - desktop: The environment variables that locate the services of the desktop.
    ///   - folders: Folders that only this user can read. The socket for the report of the program is created in the
    ///     first usable one.
    /// - Returns: What supervises the program.
    /// - Throws: ``DesktopError/Code/programFailed``, ``DesktopError/Code/cannotListen``. After a timeout the program
    ///   may still be running.
    package func start(
        on desktop: [String: String], waitingIn folders: [String]
    ) async throws(DesktopError) -> Supervisor {
        let (receiver, socket) = try Self.receiver(folders)
        defer { receiver.close() }
        let output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard output >= 0 else { throw failure("its log '\(log)' cannot be written") }
        defer { close(output) }
        let ready = [Self.variable: socket]
        let isService = await startService(desktop, ready)
        let process = isService ? nil : try DesktopProgram(command, output: output, environment: ready)
        switch await Self.first(receiver, process) {
        case .ready, .ended(0): return isService ? .service : .itself
        case .ended(let status): throw failure("it exited with status \(status); see '\(log)'")
        case .timedOut:
            service.remove()
            throw failure("it did not report in time that it is ready; see '\(log)'")
        }
    }

    /// Starts the program as a systemd user service. Returns whether that worked. The unit file is then written again
    /// without the variables that only this start needs.
    private func startService(_ desktop: [String: String], _ ready: [String: String]) async -> Bool {
        do {
            try service.write(
                command, description: description, environment: environment.merging(ready) { $1 }, log: log)
            guard await UserManager(desktop).start(service.name) else {
                service.remove()
                return false
            }
            try service.write(command, description: description, environment: environment, log: log)
            return true
        } catch {
            service.remove()
            return false
        }
    }

    /// Reports to the program that started this one that it is ready. Does nothing when no program waits for the
    /// report.
    package static func reportReady(_ environment: [String: String]) {
        guard let path = environment[variable], let slash = path.lastIndex(of: "/"),
            let folder = try? LinkFolder(String(path[..<slash]), isMade: false)
        else { return }
        try? LinkDelivery.deliver(readyMessage, to: String(path[path.index(after: slash)...]), in: folder)
    }

    private static let readyMessage = "ready"

    private static func receiver(_ folders: [String]) throws(DesktopError) -> (LinkReceiver, path: String) {
        let name = "ready" + String(UInt64.random(in: .min ... .max), radix: 36)
        var problem = DesktopError(.unsafeFolder, "There is no folder for the socket on which to wait for the program.")
        for folder in folders {
            do {
                let receiver = try LinkReceiver(named: name, in: LinkFolder(folder)) { $0 == readyMessage }
                return (receiver, folder + "/" + name)
            } catch { problem = error }
        }
        throw problem
    }

    private enum Beginning: Sendable {
        case ready
        case ended(Int32)
        case timedOut
    }

    private static func first(_ receiver: LinkReceiver, _ process: DesktopProgram?) async -> Beginning {
        await withTaskGroup(of: Beginning?.self) { group in
            group.addTask {
                for await _ in receiver.links { return .ready }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return .timedOut
            }
            if let process { group.addTask { await process.status().map { .ended($0) } } }
            defer { group.cancelAll() }
            for await beginning in group {
                if let beginning { return beginning }
            }
            return .timedOut
        }
    }

    private func failure(_ reason: String) -> DesktopError {
        DesktopError(.programFailed, "Could not continue in the background: \(reason).")
    }
}
