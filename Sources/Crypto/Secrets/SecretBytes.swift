import CSodium

/// The memory of a ``Secret``, overwritten before it is freed.
final class SecretBytes: @unchecked Sendable {  // Written in `init` and `deinit` only, while it is not shared.
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

/// Overwrites the bytes of an array with zeros. If the array shares its storage, only a new copy is overwritten.
///
/// Source: `sodium_memzero`, which a compiler does not optimise away.
package func wipe(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { buffer in
        if let base = buffer.baseAddress { sodium_memzero(base, buffer.count) }
    }
}
