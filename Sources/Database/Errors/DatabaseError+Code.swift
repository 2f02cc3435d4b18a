extension DatabaseError {
    /// A kind of failure that a caller may want to distinguish.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: Hashable {
            case corrupt, notADatabase, readOnly, full, newerThanProgram, locked, cannotOpen, moved, io
            case constraint(Constraint)
            case closed, misuse, unexpectedValue, interrupted, unavailable, other
        }

        private let kind: Kind

        /// The file is damaged: its header, its schema or a page that was read.
        package static let corrupt = Code(kind: .corrupt)
        /// The file is not an SQLite database, or it belongs to another program.
        package static let notADatabase = Code(kind: .notADatabase)
        /// This user may not write to the file, or to the folder that holds its log.
        package static let readOnly = Code(kind: .readOnly)
        /// The disk, a quota or the page limit is full. Nothing in the write was kept.
        package static let full = Code(kind: .full)
        /// A newer program has migrated the file to a version that this program does not know.
        package static let newerThanProgram = Code(kind: .newerThanProgram)
        /// Another program held its lock for longer than the busy timeout.
        package static let locked = Code(kind: .locked)
        /// The file or its folder could not be created or opened.
        package static let cannotOpen = Code(kind: .cannotOpen)
        /// The file was moved, replaced or deleted while it was open, or the address of a server leads to another
        /// database than before.
        package static let moved = Code(kind: .moved)
        /// A read from or a write to the disk failed.
        package static let io = Code(kind: .io)
        /// The database was closed before the call.
        package static let closed = Code(kind: .closed)
        /// The program used the database incorrectly: wrong SQL, a wrong number of parameters, or a write inside a
        /// read.
        package static let misuse = Code(kind: .misuse)
        /// A column holds NULL or a value of a type that the statement does not expect.
        package static let unexpectedValue = Code(kind: .unexpectedValue)
        /// The database server cannot be reached, or the connection was lost. A write may or may not have been kept.
        package static let unavailable = Code(kind: .unavailable)
        /// The statement was interrupted from outside.
        package static let interrupted = Code(kind: .interrupted)
        /// Any other error of SQLite. ``DatabaseError/cause`` has its result code.
        package static let other = Code(kind: .other)

        /// The change violates a constraint of the schema.
        package static func constraint(_ constraint: Constraint) -> Code {
            Code(kind: .constraint(constraint))
        }

        /// The violated constraint of the schema. Nil for every other code.
        package var constraint: Constraint? {
            if case .constraint(let constraint) = kind { constraint } else { nil }
        }

        /// The name of the code, such as `locked`.
        package var description: String { "\(kind)" }
    }

    /// A constraint of a schema that can refuse a change.
    package enum Constraint: Hashable, Sendable {
        /// `UNIQUE` or `PRIMARY KEY`: the row already exists.
        case unique
        /// `REFERENCES`: the referenced row is missing, or the row to be deleted is still referenced.
        case foreignKey
        /// `NOT NULL`: the value is missing.
        case notNull
        /// `CHECK`: the condition of the schema is not met.
        case check
        /// A trigger, the column type of a strict table, or a constraint that a later SQLite adds.
        case other
    }
}
