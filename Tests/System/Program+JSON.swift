import HTTPMessages
import TestSupport

extension Program.Result {
    /// What the program wrote to its standard output, as JSON.
    func json() throws -> JSONValue { try JSONValue(parsing: Array(output.utf8)) }
}
