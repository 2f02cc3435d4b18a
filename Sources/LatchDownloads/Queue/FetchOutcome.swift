import FoundationEssentials
import HTTPClient
import LatchKit
import Wire

/// The outcome of one attempt to fetch a task.
enum FetchOutcome: Sendable {
    /// The part is complete.
    case whole
    /// The server no longer has the file.
    case gone(String)
    /// The attempt failed permanently. The string is a sentence that says why and what to do.
    case failed(String)
    /// The attempt failed temporarily. `after` is the delay that the server asked for, if any.
    case again(String, after: Duration?)
    /// The failure may concern the whole host, and not only this task.
    case outage(HostTrouble)
    /// Another server responded in place of the account's server and sent no file. A later attempt may succeed, and the
    /// bytes received before are valid.
    case stranger(String)
    /// The received content is wrong. An attempt from the beginning may succeed.
    case spoilt(String)
    /// No attempt can succeed until something changes that does not depend on the task.
    case held(PauseReason)
    /// The fetch was stopped.
    case stopped
}

/// A reason that holds up more than one task.
enum PauseReason: Sendable, Hashable {
    /// A disk has no room, or its folder is missing.
    case disk(NeedingRoom)
    /// The account has no session any more, or its secret cannot be read. The string is a sentence that says which.
    case account(UUID, String)
    /// A reason given by the caller, such as a missing network.
    case outside(String)

    /// What needs room.
    enum NeedingRoom: Sendable, Hashable {
        /// The downloaded files.
        case files
        /// The queue's database.
        case queue
        /// The folder of the files. It is missing, for example because its drive is not mounted.
        case folder
    }

    /// Whether the reason is a full disk or a missing folder.
    var isDisk: Bool { if case .disk = self { true } else { false } }

    /// Returns the reason as a sentence for people, with the folder of the files and the path of the database.
    func sentence(folder: String, database: String) -> String {
        switch self {
        case .disk(.files):
            "There is no room left in '\(folder)'. Make room there; the downloads go on by themselves."
        case .disk(.queue):
            "There is no room left for '\(database)', where the downloads are noted. Make room there; they go on by "
                + "themselves."
        case .disk(.folder):
            "The folder '\(folder)' is not there now. Mount its drive; the downloads go on by themselves."
        case .account(_, let message): message
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
    /// Source: DL-13, DL-14; contract of Immich, table of endpoints: 400 for an asset that is gone, before 3.0; rule
    /// 24.
    init(_ answer: ClientResponse, _ words: String, isOwn: Bool, to row: QueuedTask, now: Date) {
        let (task, host, wait) = (row.task, row.host, answer.retryAfter(now: now))
        switch answer.status.rawValue {
        case 404 where task.group != .file && (!isOwn || words.hasPrefix("Cannot ")):
            // In maintenance, Immich responds to everything with 404. A proxy does so while the server behind it
            // starts.
            self = .outage(
                HostTrouble(
                    reason: "The server '\(host)' has nothing at all now (\(words)); it may be in maintenance.",
                    isUnreachable: false, wait: wait))
        case 404, 410:
            // A person who gave an address expects that file. A file chosen from a library may have been deleted since.
            self =
                task.group == .file
                ? .failed("There is no file at \(task.url).") : .gone("The server does not have it any more.")
        case 400 where words.hasPrefix("Not found or no asset"):
            self = .gone("The server does not have it any more, or it is not yours.")
        case 403: self = .failed("The server does not allow it: \(words). Ask whoever it belongs to.")
        case 429, 502, 503, 504:
            self = .outage(
                HostTrouble(
                    reason: "The server '\(host)' has a fault or wants a pause (\(words)).", isUnreachable: false,
                    wait: wait))
        case 408, 425, 500...: self = .again("The server has a fault or wants a pause (\(words)).", after: wait)
        case 300...399:
            let target = answer.headers["Location"].flatMap { URL(string: $0)?.host() }.map { " at '\($0)'" } ?? ""
            self = .failed(
                "The server has it elsewhere\(target), and tells so instead of giving it. Give that address, where you are "
                    + "signed in there.")
        default: self = .failed("The server refuses: \(words).")
        }
    }

    /// Interprets a response without a file from another origin, to which the account's server redirected. It says
    /// nothing about the account's server, which all its other files come from.
    init(elsewhere answer: ClientResponse, to row: QueuedTask, now: Date) {
        let url = URL(string: answer.url)
        let place = url?.host().map { host in "'\(host)\(url?.port.map { ":\($0)" } ?? "")'" } ?? "another server"
        switch answer.status.rawValue {
        case 404, 410:
            self = .failed("There is no file at \(row.task.url): the server sent on to \(place), which has none.")
        case 401, 403, 407:
            self = .failed(
                "The server sent on to \(place), which does not allow it (status \(answer.status)). Ask whoever it belongs to."
            )
        case 408, 425, 429, 500...:
            self = .again(
                "The server sent on to \(place), which has a fault or wants a pause (status \(answer.status)).",
                after: answer.retryAfter(now: now))
        default:
            self = .failed("The server sent on to \(place), which gave no file (status \(answer.status)).")
        }
    }

    /// Returns the same outcome without the query of an address.
    func masked(of url: String) -> Self {
        switch self {
        case .whole, .held, .stopped: self
        case .gone(let text): .gone(SealedQuery.masked(text, of: url))
        case .failed(let text): .failed(SealedQuery.masked(text, of: url))
        case .again(let text, let wait): .again(SealedQuery.masked(text, of: url), after: wait)
        case .stranger(let text): .stranger(SealedQuery.masked(text, of: url))
        case .spoilt(let text): .spoilt(SealedQuery.masked(text, of: url))
        case .outage(let trouble): .outage(trouble.masked(of: url))
        }
    }

    /// Interprets an error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - account: The account of the task.
    ///   - hasAnswer: Whether the server had started to send the file. Default: false.
    ///   - isAddress: Whether a person gave the file's address. A response from another server then concerns only that
    ///     address. For a file of a library, it means that the whole host is unavailable now. Default: false.
    init(_ error: any Error, account: UUID, hasAnswer: Bool = false, isAddress: Bool = false) {
        if let error = (error as? LatchError)?.cause as? TransportError ?? error as? TransportError {
            switch error.code {
            case .diskFull:
                self = .held(.disk(.files))
                return
            case _ where error.isElsewhere:
                self = .again(error.message, after: nil)
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
        case .storageFull: self = .held(.disk(.queue))
        case .folderGone: self = .held(.disk(.folder))
        case .cancelled: self = .stopped
        case .sessionEnded, .signedOut, .passwordChangeRequired: self = .held(.account(account, error.message))
        case .foreignAnswer where isAddress && !hasAnswer: self = .stranger(error.message)
        case _ where !hasAnswer && HostTrouble(error) != nil: self = HostTrouble(error).map { .outage($0) } ?? .stopped
        case .foreignAnswer: self = .spoilt(error.message)
        case _ where error.code.rawValue.hasPrefix("secret_store"): self = .held(.account(account, error.message))
        case .invalidRequest, .responseTooLarge, .noAccount, .notAKnownServer: self = .failed(error.message)
        default: self = .again(error.message, after: error.retryAfter)
        }
    }
}
