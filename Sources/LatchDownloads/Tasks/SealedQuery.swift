import Crypto
import Database
import FoundationEssentials
import HTTPMessages
import LatchKit
import Primitives

/// The query of a task's address. It may hold a secret, such as the key of a share or a signature. It is therefore
/// sealed in the queue's database, and never shown.
///
/// The sealed box is bound to the account and the path of the task.
enum SealedQuery {
    /// The text that replaces the query.
    static let mask = "?…"

    /// Returns a task in the form in which it is stored, with its query sealed.
    static func seal(_ task: DownloadTask, _ key: Secret) throws -> DownloadTask {
        guard let (path, query) = splitQuery(task.url) else { return task }
        var task = task
        task.url = path + mask
        let box = try Sealing.seal(Array(query.utf8), key: key, context: context(task))
        task.metadata.sealedQuery = Base64URL.encode(box)
        return task
    }

    /// Returns the address of a stored task with its query, as needed for the request.
    ///
    /// - Throws: `LatchError.Code.invalidRequest` when the box cannot be opened, for example because the key has
    ///   changed.
    static func open(_ task: DownloadTask, _ key: Secret) throws(LatchError) -> String {
        guard let text = task.metadata.sealedQuery else { return task.url }
        guard task.url.hasSuffix(mask), let box = Base64URL.decode(text),
            let query = try? Sealing.open(box, key: key, context: context(task))
        else {
            throw LatchError(
                .invalidRequest,
                "The part of its URL after the '?' can no longer be decrypted. Give the URL again.")
        }
        return task.url.dropLast(mask.count) + "?" + String(decoding: query, as: UTF8.self)
    }

    /// Splits an address into its path and its query. Returns nil when there is no query or it is masked.
    static func splitQuery(_ url: String) -> (path: String, query: String)? {
        guard let start = url.utf8.firstIndex(of: UInt8(ascii: "?")), !url.hasSuffix(mask) else { return nil }
        return (String(url[..<start]), String(url[url.utf8.index(after: start)...]))
    }

    /// Returns the id of the file at an address: the address, with the query replaced by a few digits of a keyed
    /// digest. The digits only show whether two queries are the same. Without the key, guessed queries cannot be tested
    /// against them.
    static func id(_ url: String, _ key: @autoclosure () async throws -> Secret) async rethrows -> String {
        guard let (path, query) = splitQuery(url) else { return url }
        let digest = HMACSHA256.code(of: Array("id of \(path)?\(query)".utf8), key: try await key())
        return path + mask + digest.hexadecimal.prefix(8)
    }

    /// Removes the query of an address, and its values, from a text that another program wrote. Servers repeat parts of
    /// the request in their messages.
    static func masked(_ text: String, of url: String) -> String {
        guard let (_, query) = splitQuery(url), !query.isEmpty else { return text }
        let values = query.split(atByte: "&").compactMap { $0.split(atByte: "=", maxSplits: 1).last }
        let shown = values.flatMap { [String($0)] + decoded($0) }.filter { $0.utf8.count >= shortestSecret }
        return ([query] + shown).reduce(text) { $0.replacingBytes(of: $1, with: "…") }
    }

    /// Returns the decoded forms in which a server may repeat a value.
    private static func decoded(_ value: Substring) -> [String] {
        let spaced = String(value).replacingBytes(of: "+", with: " ")
        return [Array(value.utf8), Array(spaced.utf8)].compactMap(PercentEncoding.decode)
    }

    private static let shortestSecret = 4

    private static func context(_ task: DownloadTask) -> [UInt8] {
        Array("\(task.account.text) \(task.url)".utf8)
    }
}
