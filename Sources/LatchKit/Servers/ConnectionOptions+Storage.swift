import Crypto
import HTTPClient
import HTTPMessages

/// The part of ``ConnectionOptions`` that is stored with an account in the database.
struct ConnectionRecord: Codable {
    var authoritiesFile: String?
    var trustsOnlyThatFile: Bool?
    var pinnedCertificate: String?
    var certificateFile: String?
    var keyFile: String?
    var proxy: String?
    var headerNames: [String]?
    /// A value that changes with every sign-in and every change of the options. It tells other sessions that the
    /// secrets may have changed.
    var revision: String?
    /// Whether the secret store holds a ``SecretConnection`` that belongs to it.
    var hasSecrets = false
    /// Which of two slots in the secret store holds the secrets; nil is the first. A change writes the secrets to the
    /// other slot, so that it takes effect when the row is updated and not before.
    var slot: Int?

    /// Both slots.
    static let slots: [Int?] = [nil, 1]

    /// The slot that does not hold the current secrets.
    var freeSlot: Int? { hasSecrets && slot == nil ? 1 : nil }
}

/// The part of ``ConnectionOptions`` that is stored in the secret store, as one JSON text.
struct SecretConnection: Codable, Equatable {
    var headers: [[String]]?
    var passphrase: String?
    var proxy: String?

    var isEmpty: Bool { self == SecretConnection() }
}

extension ConnectionOptions {
    /// Splits the options into a part for the database and a part for the secret store.
    func split() -> (record: ConnectionRecord, secret: SecretConnection) {
        var record = ConnectionRecord()
        var secret = SecretConnection()
        switch authorities {
        case .system: break
        case .systemAnd(let file): (record.authoritiesFile, record.trustsOnlyThatFile) = (file, false)
        case .only(let file): (record.authoritiesFile, record.trustsOnlyThatFile) = (file, true)
        }
        record.pinnedCertificate = pinnedCertificate?.description
        switch clientCertificate {
        case nil: break
        case .pem(let certificate, let key, let passphrase):
            (record.certificateFile, record.keyFile, secret.passphrase) = (certificate, key, passphrase?.reveal())
        case .pkcs12(let path, let passphrase):
            (record.certificateFile, secret.passphrase) = (path, passphrase?.reveal())
        }
        if let proxy {
            if proxy.contains("@") { secret.proxy = proxy } else { record.proxy = proxy }
        }
        if !extraHeaders.fields.isEmpty {
            record.headerNames = extraHeaders.fields.map(\.name)
            secret.headers = extraHeaders.fields.map { [$0.name, $0.value] }
        }
        record.hasSecrets = !secret.isEmpty
        return (record, secret)
    }

    /// The error for stored options that cannot be read. No request is sent in that case.
    static let unreadable = LatchError(
        .storageDamaged,
        "The stored connection settings of this account cannot be read, so nothing was sent to its server. Sign in "
            + "again with the same settings, such as --pin, --ca or --header, or sign out.")

    /// Makes options from the two parts that ``split()`` returns.
    ///
    /// - Throws: ``unreadable`` when a part is invalid.
    init(_ record: ConnectionRecord, _ secret: SecretConnection) throws(LatchError) {
        let pin = record.pinnedCertificate.map { CertificateFingerprint($0) }
        let headers = (secret.headers ?? []).filter { $0.count == 2 }
        guard pin != .some(nil), headers.count == secret.headers?.count ?? 0 else { throw Self.unreadable }
        let passphrase = secret.passphrase.map { Secret($0) }
        self.init(
            pinnedCertificate: pin ?? nil,
            clientCertificate: record.certificateFile.map { file in
                record.keyFile.map { .pem(certificate: file, key: $0, passphrase: passphrase) }
                    ?? .pkcs12(path: file, passphrase: passphrase)
            }, proxy: secret.proxy ?? record.proxy,
            extraHeaders: HTTPHeaders(headers.map { HTTPHeaders.Field(name: $0[0], value: $0[1]) }))
        if let file = record.authoritiesFile {
            authorities = record.trustsOnlyThatFile == true ? .only(pemFile: file) : .systemAnd(pemFile: file)
        }
    }
}
