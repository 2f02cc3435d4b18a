import FoundationEssentials
import HTTPClient
import HTTPMessages
import LatchKit

/// The outcome of one attempt to fetch a task.
enum FetchOutcome: Sendable {
    /// The part is complete.
    case whole
    /// The server no longer has the file.
    case missing(String)
    /// The attempt failed permanently. The string is a sentence that says why and what to do.
    case failed(String)
    /// The attempt failed temporarily. `after` is the delay that the server asked for, if any.
    case temporaryFailure(String, after: Duration?)
    /// The failure may concern the whole host, and not only this task.
    case outage(HostFailure)
    /// Another server responded in place of the account's server and sent no file. A later attempt may succeed, and the
    /// bytes received before are valid.
    case intercepted(String)
    /// The received content is wrong. An attempt from the beginning may succeed.
    case corrupted(String)
    /// No attempt can succeed until something changes that does not depend on the task.
    case paused(PauseReason)
    /// The fetch was stopped.
    case stopped
}

/// A reason that pauses more than one task.
enum PauseReason: Sendable, Hashable {
    /// A disk is full, or its folder is missing.
    case disk(DiskUse)
    /// The account has no session any more, or its secret cannot be read. The string is a sentence that says which.
    case account(UUID, String)
    /// A reason given by the caller, such as a missing network.
    case outside(WaitReason)

    /// What needs the space.
    enum DiskUse: Sendable, Hashable {
        /// The downloaded files.
        case files
        /// The queue's database.
        case queue
        /// The folder of the files. It is missing, for example because its drive is not mounted.
        case folder
    }

    /// Whether the reason is a full disk or a missing folder.
    var isDisk: Bool { if case .disk = self { true } else { false } }

    /// Returns the reason for people, with the folder of the files and the path of the database.
    func waitReason(folder: String, database: String) -> WaitReason {
        switch self {
        case .disk(.files):
            WaitReason(
                .space(folder),
                "There is no space left in '\(folder)'. Free some space there. Downloads then continue automatically.",
                .freeSpace(folder))
        case .disk(.queue):
            WaitReason(
                .space(database),
                "There is no space left for the downloads database '\(database)'. Free some space there. Downloads then "
                    + "continue automatically.", .freeSpace(database))
        case .disk(.folder):
            WaitReason(
                .folder(folder),
                "The folder '\(folder)' is missing. Mount its drive. Downloads then continue automatically.",
                .mountFolder(folder))
        case .account(let account, let message): WaitReason(.account(account), message)
        case .outside(let reason): reason
        }
    }
}

extension LatchError.Code {
    /// Whether the accounts database could not be read or written.
    var isOfStorage: Bool { rawValue.hasPrefix("storage_") }
}

extension FetchOutcome {
    /// Interprets a response that brought no file.
    ///
    /// `isOwn` says whether `words` are the server's own error message, in the format of its family.
    ///
    /// Source: DL-13, DL-14; docs/protocols/immich.md, Files and Maintenance mode: 400 for an asset that is
    /// gone, before 3.0.
    init(_ response: ClientResponse, _ words: String, isOwn: Bool, to row: QueuedTask, now: Date) {
        let (task, host, wait) = (row.task, row.host, response.retryAfter(now: now))
        switch response.status.rawValue {
        case 404 where task.group != .file && (!isOwn || words.hasPrefix("Cannot ")):
            // In maintenance, Immich responds to everything with 404. A proxy does so while the server behind it
            // starts.
            self = .outage(
                HostFailure(
                    reason: "The server '\(host)' serves no files now (\(words)). It may be in maintenance.",
                    isUnreachable: false, wait: wait))
        case 404, 410:
            // A person who gave an address expects that file. A file chosen from a library may have been deleted since.
            self =
                task.group == .file
                ? .failed("There is no file at \(task.url).") : .missing("The file no longer exists on the server.")
        case 400 where words.hasPrefix("Not found or no asset"):
            self = .missing("The file no longer exists on the server, or it is not yours.")
        case 403: self = .failed("The server denies access: \(words). Ask the owner of the file.")
        case 429, 502, 503, 504:
            self = .outage(
                HostFailure(
                    reason: "The server '\(host)' reports an error or requests a pause (\(words)).",
                    isUnreachable: false, wait: wait))
        case 408, 425, 500...:
            self = .temporaryFailure("The server reports an error or requests a pause (\(words)).", after: wait)
        case 300...399:
            let target = response.headers["Location"].flatMap { URL(string: $0)?.host() }.map { " at '\($0)'" } ?? ""
            self = .failed(
                "The server redirects to another address\(target). Give that URL if you are signed in there.")
        default: self = .failed("The server refused the request: \(words).")
        }
    }

    /// Interprets a response without a file from another origin, to which the account's server redirected. It says
    /// nothing about the account's server, which all its other files come from.
    init(elsewhere response: ClientResponse, to row: QueuedTask, now: Date) {
        let url = URL(string: response.url)
        let place = url?.host().map { host in "'\(host)\(url?.port.map { ":\($0)" } ?? "")'" } ?? "another server"
        switch response.status.rawValue {
        case 404, 410:
            self = .failed("There is no file at \(row.task.url): the server redirected to \(place), which has none.")
        case 401, 403, 407:
            self = .failed(
                "The server redirected to \(place), which denies access (status \(response.status)). Ask the owner of "
                    + "the file.")
        case 408, 425, 429, 500...:
            self = .temporaryFailure(
                "The server redirected to \(place), which reports an error or requests a pause (status "
                    + "\(response.status)).",
                after: response.retryAfter(now: now))
        default:
            self = .failed("The server redirected to \(place), which sent no file (status \(response.status)).")
        }
    }

    /// Returns the same outcome without the query of an address.
    func masked(of url: String) -> Self {
        switch self {
        case .whole, .paused, .stopped: self
        case .missing(let text): .missing(SealedQuery.masked(text, of: url))
        case .failed(let text): .failed(SealedQuery.masked(text, of: url))
        case .temporaryFailure(let text, let wait): .temporaryFailure(SealedQuery.masked(text, of: url), after: wait)
        case .intercepted(let text): .intercepted(SealedQuery.masked(text, of: url))
        case .corrupted(let text): .corrupted(SealedQuery.masked(text, of: url))
        case .outage(let failure): .outage(failure.masked(of: url))
        }
    }

    /// Interprets an error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - account: The account of the task.
    ///   - hasResponse: Whether the server had started to send the file. Default: false.
    ///   - isAddress: Whether a person gave the file's address. A response from another server then concerns only that
    ///     address. For a file of a library, it means that the whole host is unavailable now. Default: false.
    init(_ error: any Error, account: UUID, hasResponse: Bool = false, isAddress: Bool = false) {
        if let error = (error as? LatchError)?.cause as? TransportError ?? error as? TransportError {
            switch error.code {
            case .diskFull:
                self = .paused(.disk(.files))
                return
            case _ where error.isOtherOrigin:
                self = .temporaryFailure(error.message, after: nil)
                return
            case .fileRefused, .file, .fileExists, .tooManyRedirects, .redirectRefused:
                self = .failed(error.message)
                return
            default: break
            }
        }
        guard let error = error as? LatchError else {
            self = error is CancellationError ? .stopped : .failed("\(error)")
            return
        }
        switch error.code {
        case .storageFull: self = .paused(.disk(.queue))
        case .folderGone: self = .paused(.disk(.folder))
        case .cancelled: self = .stopped
        case .sessionEnded, .signedOut, .passwordChangeRequired: self = .paused(.account(account, error.message))
        case .interceptedResponse where isAddress && !hasResponse: self = .intercepted(error.message)
        case _ where !hasResponse && HostFailure(error) != nil:
            self = HostFailure(error).map { .outage($0) } ?? .stopped
        case .interceptedResponse: self = .corrupted(error.message)
        case _ where error.code.rawValue.hasPrefix("secret_store"): self = .paused(.account(account, error.message))
        case .invalidRequest, .responseTooLarge, .noAccount, .unsupportedServer: self = .failed(error.message)
        default: self = .temporaryFailure(error.message, after: error.retryAfter)
        }
    }
}
