package import Crypto
package import Database

/// A digest is stored as its 32 bytes. Other bytes are an error.
extension SHA256Digest: SQLReadable {
    /// Reads the digest. Throws ``DatabaseError/Code/unexpectedValue`` for bytes of another number.
    package static func read(from column: SQLColumn) throws(DatabaseError) -> SHA256Digest {
        guard let digest = SHA256Digest(bytes: try column.blob()) else { throw column.unexpected("a SHA-256 digest") }
        return digest
    }
}

/// Keys are stored as a JSON Web Key Set. A text that is none, or has no usable key, is an error.
extension ClientKeys: SQLReadable {
    /// Reads the keys. Throws ``DatabaseError/Code/unexpectedValue`` for a text that is not a usable set.
    package static func read(from column: SQLColumn) throws(DatabaseError) -> ClientKeys {
        guard let keys = ClientKeys(try column.text()) else { throw column.unexpected("keys of a client") }
        return keys
    }
}
