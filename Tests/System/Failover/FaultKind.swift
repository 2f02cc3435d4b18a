/// What goes wrong, or is done by the operator, while clients work.
enum FaultKind: String, CaseIterable {
    case gatewayKilled = "a gateway is killed"
    case primaryKilled = "the primary is killed, the standby is promoted"
    case networkCut = "one gateway is cut off from the database"
    case databasePaused = "the database is paused"
    case diskFull = "the disk of the primary is full"
    case migration = "a newer version migrates the database"
    case rollingRestart = "the gateways are restarted one by one"
}
