extension DatabaseError {
    /// The kinds of failure that a caller may want to tell apart.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: Hashable {
            case corrupt, notADatabase, readOnly, full, newerThanProgram, locked, cannotOpen, moved, io
            case constraint(Constraint)
            case closed, misuse, unexpectedValue, interrupted, other
        }

        private let kind: Kind

        /// The file is damaged: its header, its schema or a page met on the way.
        public static let corrupt = Code(kind: .corrupt)
        /// The file is something else: no SQLite database, or one of another program.
        public static let notADatabase = Code(kind: .notADatabase)
        /// The file, or the folder that must hold its log, may not be written by this user.
        public static let readOnly = Code(kind: .readOnly)
        /// The disk, a quota or the page limit is full; nothing of the write was kept.
        public static let full = Code(kind: .full)
        /// A newer program has migrated the file further than this one knows.
        public static let newerThanProgram = Code(kind: .newerThanProgram)
        /// Another program held its lock for longer than the busy time-out.
        public static let locked = Code(kind: .locked)
        /// The file or its folder could not be made or opened.
        public static let cannotOpen = Code(kind: .cannotOpen)
        /// The file was moved, replaced or deleted while it was open.
        public static let moved = Code(kind: .moved)
        /// The disk did not read or write.
        public static let io = Code(kind: .io)
        /// The database was closed before the call.
        public static let closed = Code(kind: .closed)
        /// The program's own mistake: wrong SQL, wrong number of parameters, a write inside a read.
        public static let misuse = Code(kind: .misuse)
        /// A column holds another type than the statement promises, or NULL.
        public static let unexpectedValue = Code(kind: .unexpectedValue)
        /// The statement was stopped from outside.
        public static let interrupted = Code(kind: .interrupted)
        /// Whatever else SQLite reports; ``DatabaseError/cause`` has its code.
        public static let other = Code(kind: .other)

        /// A rule of the schema refused the change.
        public static func constraint(_ constraint: Constraint) -> Code {
            Code(kind: .constraint(constraint))
        }

        /// Which rule of the schema refused, or nil for every other code.
        public var constraint: Constraint? {
            if case .constraint(let constraint) = kind { constraint } else { nil }
        }

        /// The code's name, such as `locked`.
        public var description: String { "\(kind)" }
    }

    /// The rules of a schema that can refuse a change.
    public enum Constraint: Hashable, Sendable {
        /// `UNIQUE` or `PRIMARY KEY`: the row is there already.
        case unique
        /// `REFERENCES`: the other row is missing, or still pointed at.
        case foreignKey
        /// `NOT NULL`.
        case notNull
        /// `CHECK`.
        case check
        /// A trigger, a strict table's column type, and what SQLite may add.
        case other
    }
}
