import GatewayCore
import HTTPMessages
import PictureLibrary
import SocketIO

/// Creates the events about photos and videos.
///
/// Source: IM-6; docs/protocols/immich.md, Real-time connection.
enum ImmichAssetEvents {
    /// Returns the events for those changes that a person may see, in their order.
    static func events(_ changes: AssetChanges, for person: Person) -> [SocketIOPacket] {
        let viewer = AssetViewer(person: person, isElevated: false)
        return changes.list.compactMap { change, asset in
            guard viewer.owners.own(change.owner) else { return nil }
            let id = JSONValue.string(ImmichAssetResponses.text(change.asset))
            switch change.kind {
            case .added: return asset.flatMap { event("on_upload_success", $0, viewer) }
            case .changed: return asset.flatMap { event("on_asset_update", $0, viewer) }
            case .hidden: return SocketIOPacket(event: "on_asset_hidden", [id])
            case .removed: return SocketIOPacket(event: "on_asset_delete", [id])
            }
        }
    }

    private static func event(_ name: String, _ asset: Asset, _ viewer: AssetViewer) -> SocketIOPacket? {
        let message = ImmichAssetResponses.asset(asset, for: viewer, withExif: true)
        return (try? JSONValue(parsing: JSON.encode(message))).map { SocketIOPacket(event: name, [$0]) }
    }
}
