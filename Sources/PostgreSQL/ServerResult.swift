internal import CPostgreSQL

/// The result of one command, freed when it is deallocated.
///
/// Source: PostgreSQL, "Retrieving Query Result Information".
final class ServerResult {
    /// The types of PostgreSQL that this module sends and reads.
    enum TypeID {
        static let bool: UInt32 = 16
        static let bytes: UInt32 = 17
        static let int8: UInt32 = 20
        static let int2: UInt32 = 21
        static let int4: UInt32 = 23
        static let text: UInt32 = 25
        static let float8: UInt32 = 701
    }

    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        PQclear(pointer)
    }

    var isSuccess: Bool {
        [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(pointer))
    }
    var rowCount: Int32 { PQntuples(pointer) }
    var columnCount: Int { Int(PQnfields(pointer)) }
    /// The name of the command, such as `COMMIT`.
    var command: String { String(cString: PQcmdStatus(pointer)) }

    /// The number of rows that the command inserted, updated or deleted. 0 for a command that only reads.
    var changedRows: Int {
        guard let verb = command.split(separator: " ").first, ["INSERT", "UPDATE", "DELETE"].contains(verb) else {
            return 0
        }
        return Int(String(cString: PQcmdTuples(pointer))) ?? 0
    }

    func columnName(_ column: Int32) -> String { PQfname(pointer, column).map { String(cString: $0) } ?? "?" }
    func type(_ column: Int32) -> UInt32 { PQftype(pointer, column) }
    func isNull(_ row: Int32, _ column: Int32) -> Bool { PQgetisnull(pointer, row, column) == 1 }

    /// The bytes of a value, in the binary format of its type. Valid as long as this object.
    func bytes(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(pointer, row, column), count: Int(PQgetlength(pointer, row, column)))
    }
}
