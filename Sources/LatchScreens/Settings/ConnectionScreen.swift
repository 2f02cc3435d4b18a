import LatchKit
public import Observation
import Primitives

/// How a server is connected to: proxy, header fields and certificates. Before a sign-in, and for an account.
///
/// Source: IM-16; docs/sign-in-to-immich.md.
@MainActor @Observable
public final class ConnectionScreen {
    /// What the screen shows.
    public enum State: Equatable, Sendable {
        /// The person edits. The error is that of the last try to save.
        case editing(ScreenError?)
        /// The options are being tested with the server.
        case saving
        /// The options are stored.
        case saved
    }

    /// A field that the person edits.
    public enum Field: Sendable {
        /// The address of the proxy.
        case proxy
        /// The name of the header field to add.
        case headerName
        /// The value of the header field to add.
        case headerValue
        /// The file with certificate authorities.
        case authorities
        /// The file with the client certificate.
        case certificate
    }

    /// The texts of the screen.
    public enum Text {
        /// The heading.
        public static let title = "Connection"
        /// The name of the field for the proxy.
        public static let proxy = "Proxy"
        /// What an empty proxy means.
        public static let proxyExample = "The proxy of this computer"
        /// The heading of the header fields.
        public static let headers = "Header fields"
        /// What the header fields are for.
        public static let headersAdvice =
            "Sent with every request to this server, for example the key of an access proxy. Values are stored with the "
            + "secrets."
        /// The name of the field for the name of a header field.
        public static let headerName = "Name"
        /// The name of the field for the value of a header field.
        public static let headerValue = "Value"
        /// The button that adds the header field.
        public static let addHeader = "Add header field"
        /// The button that removes something.
        public static let remove = CommonText.remove
        /// The heading of the certificates.
        public static let certificates = "Certificates"
        /// What the files of certificates contain.
        public static let certificatesAdvice =
            "Files that this server needs: certificate authorities as PEM, and a client certificate with its key as PEM or "
            + "PKCS#12."
        /// The name of the file with certificate authorities.
        public static let authorities = "Certificate authorities"
        /// The name of the file with the client certificate.
        public static let clientCertificate = "Client certificate"
        /// The name of the field for the passphrase of the client certificate.
        public static let passphrase = "Passphrase of the certificate"
        /// The button that chooses one of the files.
        public static let choose = "Choose file…"
        /// The name of the certificate that the person has trusted.
        public static let pin = "Trusted certificate (SHA-256)"
        /// The button that saves.
        public static let save = "Save"
        /// What is shown while the options are tested.
        public static let saving = "Testing the connection…"
    }

    /// What the screen shows.
    public private(set) var state = State.editing(nil)
    /// The address of the proxy. Empty for the one of this computer.
    public var proxy = "" { didSet { if proxy != oldValue { clearError() } } }
    /// The names of the header fields.
    public private(set) var headerNames: [String] = []
    /// The name of the header field to add.
    public var headerName = "" { didSet { if headerName != oldValue { clearError() } } }
    /// The value of the header field to add. Empty again as soon as it was added.
    public var headerValue = "" { didSet { if headerValue != oldValue { clearError() } } }
    /// The path of the file with certificate authorities. Empty for those of the system only.
    public var authoritiesFile = "" { didSet { if authoritiesFile != oldValue { clearError() } } }
    /// The path of the file with the client certificate. Empty for none.
    public var certificateFile = "" { didSet { if certificateFile != oldValue { clearError() } } }
    /// The passphrase of the client certificate. Empty for none, or to keep the stored one.
    public var passphrase = ""
    /// The fingerprint of the only certificate that is accepted. Nil when the authorities decide.
    public private(set) var pin: String?
    /// The error of the last try. Nil when there is none.
    public var error: ScreenError? { if case .editing(let error) = state { error } else { nil } }

    /// The field to correct after an error. Nil when there is none.
    public var errorField: Field? {
        switch error?.code {
        case LatchError.Code.invalidRequest?: refusedHeader
        case .authoritiesUnreadable?: .authorities
        case .clientCertificate?: .certificate
        case .proxyFailed?: .proxy
        default: nil
        }
    }
    /// Whether the commands do anything: the stored options are known, and none are being tested.
    public var canSave: Bool { isLoaded && state != .saving }

    private var isLoaded = false
    @ObservationIgnored private var refusedHeader: Field?
    @ObservationIgnored private var options = ConnectionOptions()
    @ObservationIgnored private let load: @Sendable () async throws -> ConnectionOptions
    @ObservationIgnored private let store: @MainActor (ConnectionOptions) async throws -> Void
    @ObservationIgnored let work = ScreenTask()

    /// The options of a sign-in, which are stored with its account.
    init(_ connect: ConnectScreen) {
        let options = connect.connection
        load = { options }
        store = { [weak connect] in connect?.save($0) }
        show(options)
    }

    /// The options of an account. A change is tested with the server before it is stored.
    init(_ client: LatchClient, account: Account) {
        load = { try await client.accounts.connection(of: account.id) }
        store = { options in _ = try await client.changeConnection(of: account) { $0 = options } }
        work.start { [load, weak self] isCurrent in
            do {
                let options = try await load()
                if isCurrent() { self?.show(options) }
            } catch {
                if isCurrent() { self?.state = .editing(ScreenError(error)) }
            }
        }
    }

    /// Adds the header field in the fields. It is stored with ``save()``.
    public func addHeader() {
        guard canSave else { return }
        let value = headerValue.trimmed
        do {
            try options.setHeader(headerName.trimmed, to: value)
            (headerName, headerValue) = ("", "")
            headerNames = options.extraHeaders.fields.map(\.name)
            clearError()
        } catch {
            refusedHeader = value.isEmpty ? .headerValue : .headerName
            state = .editing(ScreenError(error))
        }
    }

    /// Removes a header field.
    public func removeHeader(_ name: String) {
        guard canSave else { return }
        options.extraHeaders[name] = nil
        headerNames = options.extraHeaders.fields.map(\.name)
    }

    /// Lets the authorities decide about the certificate of the server again.
    public func removePin() {
        guard canSave else { return }
        options.pinnedCertificate = nil
        pin = nil
    }

    /// Tests and stores the options, and the header field in the fields. An address of a proxy that is not valid is refused
    /// at once.
    public func save() {
        guard canSave else { return }
        if !headerName.isEmpty || !headerValue.isEmpty {
            addHeader()
            guard error == nil else { return }
        }
        var options = options
        do {
            try options.setProxy(proxy.trimmed.isEmpty ? nil : proxy.trimmed)
        } catch {
            state = .editing(ScreenError(error))
            return
        }
        let input = Input(
            authorities: authoritiesFile, certificate: certificateFile,
            passphrase: passphrase.isEmpty ? nil : Secret(passphrase))
        passphrase = ""
        state = .saving
        work.start { [store, options, weak self] isCurrent in
            do {
                let options = try await input.applied(to: options)
                try await store(options)
                guard isCurrent(), let self else { return }
                self.options = options
                self.state = .saved
            } catch {
                if isCurrent() { self?.state = .editing(ScreenError(error)) }
            }
        }
    }

    /// Stops a test, and forgets what was typed.
    public func cancel() {
        work.cancel()
        (headerValue, passphrase) = ("", "")
        state = .editing(nil)
    }

    /// Shows the stored options. What the person has typed meanwhile stays.
    private func show(_ options: ConnectionOptions) {
        self.options = options
        isLoaded = true
        if proxy.isEmpty { proxy = options.proxy ?? "" }
        headerNames = options.extraHeaders.fields.map(\.name)
        if authoritiesFile.isEmpty { authoritiesFile = options.authorities.pemFile ?? "" }
        if certificateFile.isEmpty { certificateFile = file(options.clientCertificate) }
        pin = options.pinnedCertificate?.description
    }

    /// What the person entered. The files are read outside of the main thread.
    private struct Input: Sendable {
        var authorities: String
        var certificate: String
        var passphrase: Secret?

        @concurrent
        func applied(to old: ConnectionOptions) async throws -> ConnectionOptions {
            var options = old
            if authorities != (options.authorities.pemFile ?? "") {
                try options.setAuthorities(file: authorities.isEmpty ? nil : authorities)
            }
            if certificate != file(options.clientCertificate) || passphrase != nil {
                try options.setClientCertificate(
                    file: certificate.isEmpty ? nil : certificate, passphrase: passphrase)
            }
            return options
        }
    }

    private func clearError() {
        if state != .saving, state != .editing(nil) { state = .editing(nil) }
    }
}

/// Returns the path of a client certificate. Empty when there is none.
private func file(_ certificate: ClientCertificate?) -> String {
    switch certificate {
    case .pem(let path, _, _), .pkcs12(let path, _): path
    case nil: ""
    }
}
