#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A program of ours that goes on without the terminal from which it is started: as a service of the person's own manager of
/// services where there is one, else as a process in a session of its own.
///
/// Source: DL-17; `setsid(2)`; systemd.service(5).
public struct BackgroundProgram: Sendable {
    /// Who sees to the program.
    public enum Keeper: String, Sendable {
        /// systemd, as a service: it is started again after a crash, and whenever the user's systemd instance starts.
        case service
        /// Nobody.
        case itself
    }

    /// The variable that tells the program where its starter waits for it.
    private static let variable = "LATCH_READY"
    /// How long a program may take to begin.
    private static let patience = Duration.seconds(20)

    private let words: [String]
    private let service: ServiceFile
    private let description: String
    private let environment: [String: String]
    private let log: String

    /// Describes a program that is not started yet.
    ///
    /// - Parameters:
    ///   - words: The program's path and its arguments; never a secret, for others may read them.
    ///   - service: The unit file of the service.
    ///   - description: The same for people.
    ///   - environment: The variables that a service is to have; never a secret. A process has all of this one's.
    ///   - log: The file with what it says, made anew with mode 0600. Its folder is there.
    public init(
        _ words: [String], as service: ServiceFile, description: String, environment: [String: String], log: String
    ) {
        self.words = words
        self.service = service
        self.description = description
        self.environment = environment
        self.log = log
    }

    /// Starts it and returns when it has said that it has begun, or has ended well.
    ///
    /// - Parameters:
    ///   - bus: The session's bus.
    ///   - folders: Folders that only this user can read, to wait in for the program's word: the first that can be used.
    /// - Returns: Who sees to it.
    /// - Throws: ``DesktopError/Code/programFailed``, ``DesktopError/Code/cannotListen``; the program may run all the same
    ///   when it took too long to say so.
    public func start(bus: BusAddress, waitingIn folders: [String]) async throws(DesktopError) -> Keeper {
        let (receiver, socket) = try Self.receiver(folders)
        defer { receiver.close() }
        let output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard output >= 0 else { throw failure("its log '\(log)' cannot be written") }
        defer { close(output) }
        let ready = [Self.variable: socket]
        let isService = await startService(bus, ready)
        let process = isService ? nil : try DesktopProgram(words, saying: output, environment: ready)
        switch await Self.first(receiver, process) {
        case .ready, .ended(0): return isService ? .service : .itself
        case .ended(let status): throw failure("it ended with \(status); '\(log)' says why")
        case .late:
            service.remove()
            throw failure("it did not say in time that it has begun; '\(log)' may say why")
        }
    }

    /// Starts the program as a systemd user service, and returns whether that worked. The unit file then stays, without the
    /// variables that only this start needs.
    private func startService(_ bus: BusAddress, _ ready: [String: String]) async -> Bool {
        do {
            try service.write(
                words, description: description, environment: environment.merging(ready) { $1 }, log: log)
            guard await UserManager(bus).start(service.name) else {
                service.remove()
                return false
            }
            try service.write(words, description: description, environment: environment, log: log)
            return true
        } catch {
            service.remove()
            return false
        }
    }

    /// Tells the program that started this one that it has begun; nothing happens where nobody waits for that.
    public static func tellReady(_ environment: [String: String]) {
        guard let path = environment[variable], let slash = path.lastIndex(of: "/"),
            let folder = try? LinkFolder(String(path[..<slash]), isMade: false)
        else { return }
        try? LinkDelivery.deliver(word, to: String(path[path.index(after: slash)...]), in: folder)
    }

    private static let word = "ready"

    private static func receiver(_ folders: [String]) throws(DesktopError) -> (LinkReceiver, path: String) {
        let name = "ready" + String(UInt64.random(in: .min ... .max), radix: 36)
        var problem = DesktopError(.unsafeFolder, "There is no folder to wait in for the program.")
        for folder in folders {
            do {
                let receiver = try LinkReceiver(named: name, in: LinkFolder(folder)) { $0 == word }
                return (receiver, folder + "/" + name)
            } catch { problem = error }
        }
        throw problem
    }

    private enum Beginning: Sendable {
        case ready
        case ended(Int32)
        case late
    }

    private static func first(_ receiver: LinkReceiver, _ process: DesktopProgram?) async -> Beginning {
        await withTaskGroup(of: Beginning?.self) { group in
            group.addTask {
                for await _ in receiver.links { return .ready }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: patience)
                return .late
            }
            if let process { group.addTask { await process.status().map { .ended($0) } } }
            defer { group.cancelAll() }
            for await beginning in group {
                if let beginning { return beginning }
            }
            return .late
        }
    }

    private func failure(_ reason: String) -> DesktopError {
        DesktopError(.programFailed, "Could not go on in the background: \(reason).")
    }
}
