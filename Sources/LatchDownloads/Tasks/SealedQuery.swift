import Crypto
import Database
import FoundationEssentials
import LatchKit
import Wire

/// The query of a task's address. It may hold a secret, as a share's key does or a signature: so it is sealed in the
/// queue's file, and nowhere shown.
///
/// The box is bound to the account and the path that it was given with.
enum SealedQuery {
    /// What stands in its place.
    static let mask = "?…"

    /// The task as it is kept.
    static func seal(_ task: DownloadTask, _ key: Secret) throws -> DownloadTask {
        guard let (path, query) = cut(task.url) else { return task }
        var task = task
        task.url = path + mask
        let box = try Sealing.seal(Array(query.utf8), key: key, context: context(task))
        task.metadata.sealedQuery = Base64URL.encode(box)
        return task
    }

    /// The address of a kept task, to be asked for.
    ///
    /// - Throws: ``LatchError/Code/invalidRequest`` when the key is another by now.
    static func open(_ task: DownloadTask, _ key: Secret) throws(LatchError) -> String {
        guard let text = task.metadata.sealedQuery else { return task.url }
        guard task.url.hasSuffix(mask), let box = Base64URL.decode(text),
            let query = try? Sealing.open(box, key: key, context: context(task))
        else {
            throw LatchError(
                .invalidRequest,
                "What stood behind the '?' of its address cannot be read any more. Give the address again.")
        }
        return task.url.dropLast(mask.count) + "?" + String(decoding: query, as: UTF8.self)
    }

    /// A path and its query.
    static func cut(_ url: String) -> (path: String, query: String)? {
        guard let start = url.utf8.firstIndex(of: UInt8(ascii: "?")), !url.hasSuffix(mask) else { return nil }
        return (String(url[..<start]), String(url[url.utf8.index(after: start)...]))
    }

    /// The id of the file at an address: the address, where its query shows by a few digits only whether it is the
    /// same. Without the key nobody can try out queries against them.
    static func id(_ url: String, _ key: @autoclosure () async throws -> Secret) async rethrows -> String {
        guard let (path, query) = cut(url) else { return url }
        let digest = HMACSHA256.code(of: Array("id of \(path)?\(query)".utf8), key: try await key())
        return path + mask + digest.hexadecimal.prefix(8)
    }

    /// A text of somebody else's without what stands behind the `?` of an address: servers repeat what they were asked.
    static func masked(_ text: String, of url: String) -> String {
        guard let (_, query) = cut(url), !query.isEmpty else { return text }
        let values = query.split(separator: "&").compactMap { $0.split(separator: "=", maxSplits: 1).last }
        let shown = values.flatMap { [String($0)] + decoded($0) }.filter { $0.utf8.count >= shortestSecret }
        return ([query] + shown).reduce(text) { $0.replacing($1, with: "…") }
    }

    /// What a server may make of a value.
    private static func decoded(_ value: Substring) -> [String] {
        [value.utf8.map { $0 }, value.replacing("+", with: " ").utf8.map { $0 }].compactMap(PercentEncoding.decode)
    }

    private static let shortestSecret = 4

    private static func context(_ task: DownloadTask) -> [UInt8] {
        Array("\(task.account.text) \(task.url)".utf8)
    }
}
