import Database
import GatewayCore
import PostgreSQL

extension ConfigurationForm where Value == DatabaseLocation {
    /// The path of an SQLite file, or the address of a PostgreSQL database.
    static let database = ConfigurationForm(
        expected: "the path of an SQLite file, such as /var/lib/latchd/latchd.db, or the address of a PostgreSQL "
            + "database without a password, such as postgresql://latchd@db.example/latchd?passfile=/etc/latchd/pgpass, "
            + "encrypted unless it is on this machine"
    ) { word, folder in
        if PostgreSQLAddress.isAddress(word) { return (try? PostgreSQLAddress(word)).map(DatabaseLocation.server) }
        return ConfigurationForm<String>.path.read(word, folder).map(DatabaseLocation.file)
    } show: {
        $0.description
    } fault: { word, _ in
        guard PostgreSQLAddress.isAddress(word) else { return nil }
        do throws(DatabaseError) {
            _ = try PostgreSQLAddress(word)
            return nil
        } catch {
            return (error.cause as? PostgreSQLAddress.Fault).map { ($0.reason, $0.remedy) }
        }
    }
}
