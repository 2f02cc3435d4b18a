import Foundation
import LatchDownloads
import LatchKit

/// The examples of the documentation. `ExampleTests` runs them against the sandbox, and checks that every example in
/// the documentation is the text between two marks here.
enum Examples {
    // example: the resource
    struct Me: Decodable {
        var id: String
        var email: String
    }
    // end

    static func firstSteps(_ address: String, _ email: String, _ password: String) async throws -> Me {
        // example: first steps
        let latch = try await LatchClient.open()
        let server = try await latch.probe(ServerAddress(address)).requireServer()
        let account = try await latch.signIn(PasswordSignIn(email: email, password: Secret(password)), to: server)
        // The path is one of Immich; other servers have others.
        let me = try await latch.session(for: account).client.get("/api/users/me", as: Me.self)
        // end
        return me
    }

    static func signIn(_ latch: LatchClient, _ address: String, _ email: String, _ password: Secret) async throws
        -> Account
    {
        // example: sign in
        let server = try await latch.probe(ServerAddress(address)).requireServer()
        let account = try await latch.signIn(PasswordSignIn(email: email, password: password), to: server)
        // end
        return account
    }

    static func call(_ latch: LatchClient, _ account: Account) async throws -> Me {
        // example: call the server
        let client = try latch.session(for: account).client
        let me = try await client.get("/api/users/me", as: Me.self)
        // end
        return me
    }

    static func handleErrors(_ client: AuthorizedClient) async throws -> Me? {
        // example: handle errors
        do {
            return try await client.get("/api/users/nobody", as: Me.self)
        } catch let error as LatchError where error.status == .notFound {
            return nil
        } catch let error as LatchError where error.code == .sessionEnded {
            print(error.message)  // "You were signed out because …"
            return nil
        }
        // end
    }

    static func chooseSignIn(_ server: Server) -> [String] {
        // example: show the ways to sign in
        let features = server.features
        var buttons = features.signsInWithPassword ? ["Password"] : []
        if features.signsInWithBrowser {
            // A server that names its providers needs one button for each; sign in with its id.
            let titles = features.providers.map(\.title)
            buttons += titles.isEmpty ? [features.browserTitle ?? "Browser"] : titles
        }
        if features.signsInWithKey { buttons.append("Key") }
        // end
        return buttons
    }

    static func signInWithBrowser(
        _ latch: LatchClient, _ server: Server, _ presenter: some BrowserPresenting
    ) async throws -> Account {
        // example: sign in with the browser
        let signIn = BrowserSignIn(browser: .presenter(presenter)) { event in
            if case .waiting(let address, _) = event { print("Continue at \(address)") }
        }
        let account = try await latch.signIn(signIn, to: server)
        // end
        return account
    }

    static func restore(_ latch: LatchClient) async throws -> SessionState {
        // example: restore the session
        let session = try await latch.activeSession()
        switch await session.restore() {
        case .signedIn(.verified): print("Signed in.")
        case .signedIn(.unverified): print("Signed in, but the server does not respond.")
        case .signedOut(.ended(let reason)): print("You were signed out because \(reason).")
        default: print("Sign in.")
        }
        // end
        return session.state
    }

    static func list(_ latch: LatchClient, until isLast: ([AccountState]) -> Bool) async {
        // example: list the accounts
        for await accounts in latch.accountStates() {
            for entry in accounts {
                print(entry.account.userEmail, entry.account.serverURL, entry.state.isSignedIn)
            }
            if isLast(accounts) { break }
        }
        // end
    }

    static func changeThePassword(
        _ latch: LatchClient, _ account: Account, from old: Secret, to new: Secret
    ) async throws {
        // example: ask for capabilities
        if account.capabilities.contains(.passwordChange) {
            try await latch.changePassword(PasswordChange(current: old, new: new), of: account)
        }
        // end
    }

    static func addAnAddress(_ latch: LatchClient, _ account: Account, _ address: String) async throws {
        // example: add an address
        try await latch.addEndpoint(ServerAddress(address), isLocal: true, to: account)
        try await latch.addWifiName("Home sweet home", of: account)
        for endpoint in try await latch.endpoints(of: account).all {
            try await latch.testEndpoint(endpoint, of: account)
        }
        // end
    }

    static func followEvents(_ session: Session, _ show: (String) -> Void) async throws {
        // example: follow events
        for try await update in try session.events() {
            switch update {
            case .connected: show("Connected. Load what may have changed before.")
            case .disconnected(let reason): show("Connecting again: \(reason)")
            case .event(.assetAdded(let id)): show("There is a new picture, \(id).")
            case .event: break
            }
        }
        // end
    }

    static func protectTheDevice(_ latch: LatchClient, with pin: Secret) async throws {
        // example: protect the device with a PIN
        try await latch.lock.set(pin)
        try latch.lock.lock()
        // end
    }

    static func unlockTheDevice(_ latch: LatchClient, with pin: Secret) async throws {
        // example: unlock the device
        if try latch.lock.state == .locked { try await latch.lock.unlock(with: pin) }
        // end
    }

    // example: another secret store
    actor Vault: SecretStoring {
        nonisolated let label = "vault of this program"
        private var secrets: [SecretKey: Secret] = [:]

        func read(_ key: SecretKey) -> Secret? { secrets[key] }
        func write(_ secret: Secret, for key: SecretKey) { secrets[key] = secret }
        func remove(_ key: SecretKey) { secrets[key] = nil }
        func check() {}
    }
    // end

    static func open(_ folder: String) async throws -> LatchClient {
        // example: open with another secret store
        let latch = try await LatchClient.open(.init(folders: Folders(data: folder), secrets: Vault()))
        // end
        return latch
    }

    static func download(_ latch: LatchClient, _ account: Account, _ folder: String) async throws -> OverallProgress {
        // example: download a picture library
        let place = LibraryLocation(folder: folder, layout: .date)
        let library = PictureLibrary(latch, folder: place.folder, layout: place.layout)
        let queue = DownloadQueue(latch, library: library)
        let chooser = DownloadChooser(account, try latch.session(for: account))
        for try await tasks in chooser.pages(of: DownloadSelection(isWholeLibrary: true)) {
            try await queue.add(try await library.absent(tasks), goingTo: place)
        }
        try await queue.run()
        // end
        return try await queue.progress()
    }

    static func download(_ task: DownloadTask, _ latch: LatchClient, to folder: String) async throws -> DownloadQueue {
        // example: download to a plain folder
        let queue = DownloadQueue(latch, library: FolderLibrary(folder: folder))
        try await queue.add([task])
        try await queue.run()
        // end
        return queue
    }

    static func supervise(_ queue: DownloadQueue) async throws {
        // example: supervise a queue
        let supervisor = DownloadSupervisor(queue, environment: ProcessInfo.processInfo.environment)
        try await supervisor.run { try await queue.run() }
        // end
    }

    static func downloadOne(_ client: AuthorizedClient, _ path: String, _ destination: String) async throws {
        // example: download one file
        try await client.download(path, to: destination)
        // end
    }
}
