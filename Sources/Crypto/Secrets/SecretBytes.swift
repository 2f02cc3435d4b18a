import CSodium

/// The memory behind a ``Secret``, overwritten before it is given back.
final class SecretBytes: @unchecked Sendable {  // Written in `init` and `deinit` only, when it is unshared.
    let bytes: UnsafeMutableRawBufferPointer

    init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        bytes = .allocate(byteCount: count, alignment: 16)
        fill(bytes)
    }

    convenience init(copying source: UnsafeRawBufferPointer) {
        self.init(count: source.count) { $0.copyMemory(from: source) }
    }

    deinit {
        if let base = bytes.baseAddress { sodium_memzero(base, bytes.count) }
        bytes.deallocate()
    }
}

/// Overwrites an array's bytes with zeros; of an array that is shared, only a new copy is, so wipe the only one.
///
/// Source: `sodium_memzero`, which a compiler does not optimise away.
public func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { buffer in
        if let base = buffer.baseAddress { sodium_memzero(base, buffer.count) }
    }
}
