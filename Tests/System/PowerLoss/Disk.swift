import Foundation
import TestSupport

/// A folder as a disk keeps it when the power goes: what was flushed is there, of the rest anything may be.
///
/// A flushed file has its bytes, and a flushed folder its names; neither stands for the other. What was not flushed is
/// lost, or kept in any choice of sectors and names. A rename is one step in a journal, also from one folder to another: it is
/// kept or lost in both, and the flush of one brings it to the disk in the other too, with what was done there before.
///
/// Source: fsync(2); rename(2); the kernel's Documentation/filesystems/ext4/journal.rst; Pillai et al., "All File Systems Are Not Created Equal" (OSDI 2014), for what a crash may leave.
struct Disk {
    /// What is left of that which was not flushed.
    enum UnflushedData: CaseIterable, Sendable {
        /// Nothing.
        case nothing
        /// Any sectors of 512 bytes, and any names.
        case sectors
        /// Any blocks of 4096 bytes, and any names.
        case blocks
        /// Everything, as when only the program is killed.
        case everything

        var granularity: Int { self == .sectors ? 512 : 4096 }
    }

    private enum Change {
        case write(offset: Int, [UInt8])
        case truncate(Int)
        /// Names that change at once, each to a node or to nothing.
        case names([(name: String, node: Int?)])
    }

    private struct Node {
        let isFolder: Bool
        var bytes: [UInt8] = []
        var names: [String: Int] = [:]
        var pending: [(number: Int, change: Change)] = []

        mutating func apply(_ change: Change) {
            switch change {
            case .write(let offset, let written):
                if bytes.count < offset + written.count {
                    bytes += Array(repeating: 0, count: offset + written.count - bytes.count)
                }
                bytes.replaceSubrange(offset..<offset + written.count, with: written)
            case .truncate(let length):
                bytes = Array(bytes.prefix(length)) + Array(repeating: 0, count: max(0, length - bytes.count))
            case .names(let changes): for (name, node) in changes { names[name] = node }
            }
        }
    }

    private let root: String
    private var nodes = [Node(isFolder: true)]
    /// Where the program finds what now.
    private var present: [String: Int]

    /// A disk on which `root` is an empty folder.
    init(root: String) {
        self.root = root
        present = [root: 0]
    }

    /// Follows what the program did.
    mutating func follow(_ event: DiskEvent, number: Int) {
        switch event {
        case .make(let path): make(path, isFolder: false, number)
        case .makeFolder(let path): make(path, isFolder: true, number)
        case .write(let path, let offset, let bytes): change(path, .write(offset: offset, bytes), number)
        case .truncate(let path, let length): change(path, .truncate(length), number)
        case .rename(let path, let target):
            guard let node = present.removeValue(forKey: path) else { return }
            present[target] = node
            let (old, new) = ((Self.name(of: path), Int?.none), (Self.name(of: target), Int?.some(node)))
            let folders = (Self.folder(of: path), Self.folder(of: target))
            guard folders.0 != folders.1 else { return change(folders.0, .names([old, new]), number) }
            change(folders.0, .names([old]), number)
            change(folders.1, .names([new]), number)
        case .remove(let path):
            guard present.removeValue(forKey: path) != nil else { return }
            change(Self.folder(of: path), .names([(Self.name(of: path), nil)]), number)
        case .sync(let path, let before): flush(path, before)
        case .received, .sent: break
        }
    }

    private mutating func make(_ path: String, isFolder: Bool, _ number: Int) {
        guard present[path] == nil, present[Self.folder(of: path)] != nil else { return }
        nodes.append(Node(isFolder: isFolder))
        present[path] = nodes.count - 1
        change(Self.folder(of: path), .names([(Self.name(of: path), nodes.count - 1)]), number)
    }

    private mutating func change(_ path: String, _ change: Change, _ number: Int) {
        guard let node = present[path] else { return }
        nodes[node].pending.append((number, change))
    }

    private mutating func flush(_ path: String, _ before: Int) {
        guard let node = present[path] else { return }
        flush(node, before)
    }

    private mutating func flush(_ node: Int, _ before: Int) {
        let done = nodes[node].pending.filter { $0.number < before }
        guard !done.isEmpty else { return }
        for (_, change) in done { nodes[node].apply(change) }
        nodes[node].pending.removeAll { $0.number < before }
        guard nodes[node].isFolder else { return }
        let last = { (other: Node) in
            other.isFolder
                ? other.pending.map(\.number).filter { number in done.contains { $0.number == number } }.max() : nil
        }
        for other in nodes.indices { if let number = last(nodes[other]) { flush(other, number + 1) } }
    }

    private static func folder(of path: String) -> String { (path as NSString).deletingLastPathComponent }
    private static func name(of path: String) -> String { (path as NSString).lastPathComponent }
}

extension Disk {
    /// Cuts the power and writes what is left to the folder `target`, which must not be there.
    func cutPower(leaving remains: UnflushedData, _ random: inout SeededRandom, to target: String) throws {
        // The steps that changed names: both folders of a rename keep it or lose it.
        let steps = Set(nodes.filter(\.isFolder).flatMap { $0.pending.map(\.number) }).sorted()
        let persisted = Set(steps.filter { _ in remains == .everything || remains != .nothing && random.chance(50) })
        try write(0, remains, persisted, &random, to: target)
    }

    private func write(
        _ node: Int, _ remains: UnflushedData, _ kept: Set<Int>, _ random: inout SeededRandom, to path: String
    ) throws {
        var left = nodes[node]
        for (number, change) in left.pending where left.isFolder && kept.contains(number) { left.apply(change) }
        for (_, change) in left.pending where !left.isFolder {
            for part in Self.parts(of: change, remains) where remains == .everything || random.chance(50) {
                if remains != .nothing { left.apply(part) }
            }
        }
        guard left.isFolder else {
            let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
            guard FileManager.default.createFile(atPath: path, contents: Data(left.bytes), attributes: mode) else {
                throw ChildProcess.Failure("Could not write '\(path)'.")
            }
            return
        }
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        for (name, child) in left.names.sorted(by: { $0.key < $1.key }) {
            try write(child, remains, kept, &random, to: path + "/" + name)
        }
    }

    /// What of a change reaches the disk by itself.
    private static func parts(of change: Change, _ remains: UnflushedData) -> [Change] {
        guard case .write(let offset, let bytes) = change, remains != .everything else { return [change] }
        var parts: [Change] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, ((offset + start) / remains.granularity + 1) * remains.granularity - offset)
            parts.append(.write(offset: offset + start, Array(bytes[start..<end])))
            start = end
        }
        return parts
    }
}
