import Foundation

extension SystemCallTrace {
    /// Reads one line, such as `12 fsync(3<PATH>) = 0`; another thread's call may come between its two halves.
    mutating func read(line: some Collection<UInt8>) {
        let line = Array(line)
        guard let gap = line.firstIndex(of: .space) else { return }
        let thread = String(decoding: line[..<gap], as: UTF8.self)
        let text = Array(line[gap...].drop { $0 == .space })
        let unfinished = Array(" <unfinished ...>".utf8)
        if text.suffix(unfinished.count).elementsEqual(unfinished) {
            let text = Array(text.dropLast(unfinished.count))
            unfinishedCalls[thread] = (text, events.count)
            if Self.countsFromBeginning(text) { note(text, "0", began: events.count) }
        } else if text.starts(with: Array("<... ".utf8)) {
            guard let (start, number) = unfinishedCalls.removeValue(forKey: thread), !Self.countsFromBeginning(start),
                let rest = text.firstRange(of: Array("resumed>".utf8))
            else { return }
            finish(start + text[rest.upperBound...], began: number)
        } else {
            finish(text, began: events.count)
        }
    }

    private static func countsFromBeginning(_ text: [UInt8]) -> Bool {
        ["write", "pwrite64", "writev", "sendto", "sendmsg", "ftruncate"].contains(name(of: text))
    }

    private static func name(of text: [UInt8]) -> String {
        String(decoding: text.prefix { $0 != UInt8(ascii: "(") }, as: UTF8.self)
    }

    /// A whole call: those that failed did nothing.
    private mutating func finish(_ text: [UInt8], began: Int) {
        guard let equals = text.lastIndex(of: UInt8(ascii: "=")), equals + 2 < text.count else { return }
        let result = String(decoding: text[(equals + 2)...], as: UTF8.self)
        guard !result.hasPrefix("-") else { return }
        note(Array(text[..<equals]), result, began: began)
    }

    private mutating func note(_ text: [UInt8], _ result: String, began: Int) {
        let name = Self.name(of: text)
        let call = CallText(text)
        switch name {
        case "open", "openat", "creat": recordOpen(call, result)
        case "mknod", "mknodat": add(call.strings.first.map(Self.path)) { .make($0) }
        case "mkdir", "mkdirat": add(call.strings.first.map(Self.path)) { .makeFolder($0) }
        case "rename", "renameat", "renameat2":
            guard call.strings.count == 2 else { return }
            let target = Self.path(call.strings[1])
            add(Self.path(call.strings[0])) { .rename($0, to: target) }
        case "unlink", "unlinkat": add(call.strings.first.map(Self.path)) { .remove($0) }
        case "ftruncate": add(call.file) { .truncate($0, call.lastNumber) }
        case "fsync", "fdatasync": add(call.file) { .sync($0, before: began) }
        case "pwrite64": add(call.file) { .write($0, offset: call.lastNumber, call.strings.first ?? []) }
        case "write", "writev", "sendto", "sendmsg": recordWrite(call)
        case "recvfrom":
            guard let file = call.file, let bytes = call.strings.first, !bytes.isEmpty else { return }
            events.append(.received(file, bytes))
        default: break
        }
    }

    private mutating func recordOpen(_ call: CallText, _ result: String) {
        guard let path = call.strings.first.map(Self.path) else { return }
        let flags = call.plain
        if let descriptor = Int(result.prefix { $0.isNumber }) { positions[descriptor] = 0 }
        if flags.contains("O_CREAT") { add(path) { .make($0) } }
        if flags.contains("O_TRUNC") { add(path) { .truncate($0, 0) } }
    }

    private mutating func recordWrite(_ call: CallText) {
        guard let file = call.file, let descriptor = call.descriptor else { return }
        let bytes = call.strings.flatMap(\.self)
        guard isInside(file) else {
            events.append(.sent(file, bytes))
            return
        }
        let offset = positions[descriptor, default: 0]
        positions[descriptor] = offset + bytes.count
        add(file) { .write($0, offset: offset, bytes) }
    }

    private mutating func add(_ path: String?, _ event: (String) -> DiskEvent) {
        // The shared memory beside a database is made anew at the next opening, whatever it holds.
        guard let path, isInside(path), !path.hasSuffix("-shm") else { return }
        events.append(event(path))
    }

    private func isInside(_ path: String) -> Bool { path == root || path.hasPrefix(root + "/") }

    private static func path(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

/// The arguments of a call as strace writes them, every string in hexadecimal.
struct CallText {
    /// The strings in quotes.
    private(set) var strings: [[UInt8]] = []
    /// The path of the first descriptor.
    private(set) var file: String?
    /// What is neither in quotes nor in brackets.
    private(set) var plain = ""
    private(set) var descriptor: Int?
    private(set) var lastNumber = 0

    init(_ text: [UInt8]) {
        var rest: [UInt8] = []
        var index = text.firstIndex(of: UInt8(ascii: "(")).map { $0 + 1 } ?? 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\""):
                let (bytes, end) = Self.bytes(text, from: index + 1, to: UInt8(ascii: "\""))
                strings.append(bytes)
                index = end
            case UInt8(ascii: "<"):
                let (bytes, end) = Self.bytes(text, from: index + 1, to: UInt8(ascii: ">"))
                if file == nil { file = String(decoding: bytes, as: UTF8.self) }
                index = end
            default: rest.append(text[index])
            }
            index += 1
        }
        plain = String(decoding: rest, as: UTF8.self)
        descriptor = Int(plain.prefix { $0.isNumber })
        lastNumber = Int(plain.split { !$0.isNumber }.last ?? "") ?? 0
    }

    /// The bytes of `\x41\x42` up to `end`, and where that stands.
    private static func bytes(_ text: [UInt8], from start: Int, to end: UInt8) -> ([UInt8], Int) {
        var bytes: [UInt8] = []
        var index = start
        while index < text.count, text[index] != end {
            if text[index] == UInt8(ascii: "\\"), index + 3 < text.count {
                bytes.append(digit(text[index + 2]) << 4 | digit(text[index + 3]))
                index += 4
            } else {
                bytes.append(text[index])
                index += 1
            }
        }
        return (bytes, index)
    }

    private static func digit(_ letter: UInt8) -> UInt8 {
        letter <= UInt8(ascii: "9") ? letter - UInt8(ascii: "0") : letter - UInt8(ascii: "a") + 10
    }
}

extension UInt8 {
    fileprivate static let space = UInt8(ascii: " ")
}
