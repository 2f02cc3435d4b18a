package import HTTPMessages

extension ImmichDialect: RealTimeDialect {
    /// `GET /socket.io/`, over WebSocket only.
    ///
    /// Source: IM-6; docs/protocols/immich.md, Real-time connection.
    package var realTime: DialectRequest { DialectRequest(.get, api + "/socket.io/?EIO=4&transport=websocket") }

    /// Reads the events of all versions.
    package func event(_ name: String, _ arguments: [JSONValue]) -> RealTimeEvent {
        Self.known(name, arguments.first ?? .null)
            ?? .other(name: name, arguments: String(decoding: JSONValue.array(arguments).encoded(), as: UTF8.self))
    }

    private static func known(_ name: String, _ value: JSONValue) -> RealTimeEvent? {
        switch name {
        case "on_session_delete": value.string.map { .sessionDeleted(id: $0) }
        case "on_upload_success": value["id"]?.string.map { .assetAdded(id: $0) }
        case "AssetUploadReadyV1", "AssetUploadReadyV2": value["asset"]?["id"]?.string.map { .assetAdded(id: $0) }
        case "on_asset_update": value["id"]?.string.map { .assetChanged(id: $0) }
        case "AssetEditReadyV1", "AssetEditReadyV2": value["asset"]?["id"]?.string.map { .assetChanged(id: $0) }
        case "on_asset_delete": ids(value).map { .assetsDeleted(ids: $0) }
        case "on_asset_trash": ids(value).map { .assetsTrashed(ids: $0) }
        case "on_asset_restore": ids(value).map { .assetsRestored(ids: $0) }
        case "on_asset_hidden": ids(value).map { .assetsHidden(ids: $0) }
        case "on_asset_stack_update": .stacksChanged
        case "on_server_version": version(value).map { .serverVersion($0) }
        case "on_new_release":
            value["releaseVersion"].flatMap(version).map {
                .newRelease($0, isAvailable: value["isAvailable"]?.bool ?? true)
            }
        case "on_config_update": .configUpdated
        default: nil
        }
    }

    /// Reads one id or an array of ids.
    private static func ids(_ value: JSONValue) -> [String]? {
        if let id = value.string { return [id] }
        guard let values = value.array else { return nil }
        let ids = values.compactMap(\.string)
        return ids.count == values.count ? ids : nil
    }

    private static func version(_ value: JSONValue) -> String? {
        let numbers = ["major", "minor", "patch"].compactMap { value[$0]?.integer }
        return numbers.count == 3 ? numbers.map(String.init).joined(separator: ".") : nil
    }
}
