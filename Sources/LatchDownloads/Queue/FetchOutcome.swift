import FoundationEssentials
import HTTPClient
import LatchKit
import Wire

/// What came of one try to fetch one task.
enum FetchOutcome: Sendable {
    /// Its part is whole.
    case whole
    /// The server has it no more.
    case gone(String)
    /// It will not work: the sentence says why and what to do.
    case failed(String)
    /// It may work later; after the wait that the server asked for, if it did.
    case again(String, after: Duration?)
    /// It may be the host's trouble and not this task's.
    case outage(HostTrouble)
    /// Somebody else answered in the server's place, and gave nothing: it may work later, and what has come is good.
    case stranger(String)
    /// What came was wrong: it may work from the beginning.
    case spoilt(String)
    /// Nothing will work until something changes that is no task's matter.
    case held(PauseReason)
    /// Somebody stopped it.
    case stopped
}

/// What holds up more than one task.
enum PauseReason: Sendable, Hashable {
    /// There is no room on a disk for something.
    case disk(NeedingRoom)
    /// The account has no session any more, or its secret cannot be read.
    case account(UUID, String)
    /// The caller said so, as when there is no network.
    case outside(String)

    /// What needs room.
    enum NeedingRoom: Sendable, Hashable {
        /// The files that come.
        case files
        /// The file that the queue is kept in.
        case queue
        /// The folder of the files, which is missing; its drive may not be mounted.
        case folder
    }

    /// Whether the reason is a full disk or a missing folder.
    var isDisk: Bool { if case .disk = self { true } else { false } }

    /// What people are told, who know the folder that the files go to and the file that the queue is kept in.
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
    /// Judges an answer that brought no file.
    ///
    /// `isOwn` says whether the words are the server's own, in its family's form.
    ///
    /// Source: DL-13, DL-14; contract of Immich, table of endpoints: 400 for an asset that is gone, before 3.0; rule
    /// 24.
    init(_ answer: ClientResponse, _ words: String, isOwn: Bool, to row: QueuedTask, now: Date) {
        let (task, host, wait) = (row.task, row.host, answer.retryAfter(now: now))
        switch answer.status.rawValue {
        case 404 where task.group != .file && (!isOwn || words.hasPrefix("Cannot ")):
            // In maintenance Immich has nothing, and a proxy says the same while the server behind it starts.
            self = .outage(
                HostTrouble(
                    reason: "The server '\(host)' has nothing at all now (\(words)); it may be in maintenance.",
                    isUnreachable: false, wait: wait))
        case 404, 410:
            // Who gave an address wants that file; what was chosen from a library may have been deleted there since.
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

    /// Judges an answer without a file from another origin, to which the account's server sent on. It says nothing of that
    /// server, which all its other files come from.
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

    /// The same without what stands behind the `?` of its address.
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

    /// Judges a failure.
    ///
    /// - Parameters:
    ///   - error: What was thrown.
    ///   - account: Whose task it is.
    ///   - hasAnswer: Whether the server had begun to give what was asked for.
    ///   - isAddress: Whether a person gave the file's address. A stranger's answer says something of that address
    ///     then; to a library's files, that nothing can be had of the whole host now.
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
