import GatewayCore
import HTTPMessages
import PictureLibrary
import SocketIO

/// The events about photos and videos.
///
/// Source: IM-6; docs/protocols/immich.md, Real-time connection.
struct ImmichAssetEvents {
    private let changes: AssetChanges
    /// The texts about shared files, which are the same for everybody, by their index.
    private var shared: [Int: String] = [:]

    init(_ changes: AssetChanges) { self.changes = changes }

    /// Returns the messages for those changes that a person may see, in their order.
    mutating func texts(for person: Person) -> [String] {
        let viewer = AssetViewer(person: person, isElevated: false)
        return changes.list.indices.compactMap { index in
            let (change, asset) = changes.list[index]
            guard viewer.owners.own(change.owner) else { return nil }
            if let text = shared[index] { return text }
            let text = Self.event(change, asset, viewer).map { EngineIOPacket.message($0.text).text }
            if change.owner == AssetOwners.shared { shared[index] = text }
            return text
        }
    }

    /// Whether changes are missing that the person may see.
    func isIncomplete(for person: Person) -> Bool {
        let owners = AssetOwners(person)
        return changes.incompleteOwners.contains { owners.own($0) }
    }

    private static func event(_ change: AssetChange, _ asset: Asset?, _ viewer: AssetViewer) -> SocketIOPacket? {
        let id = JSONValue.string(ImmichAssetResponses.text(change.asset))
        switch change.kind {
        case .added: return asset.flatMap { event("on_upload_success", $0, viewer) }
        case .changed: return asset.flatMap { event("on_asset_update", $0, viewer) }
        case .hidden: return SocketIOPacket(event: "on_asset_hidden", [id])
        case .removed: return SocketIOPacket(event: "on_asset_delete", [id])
        }
    }

    private static func event(_ name: String, _ asset: Asset, _ viewer: AssetViewer) -> SocketIOPacket? {
        let message = ImmichAssetResponses.asset(asset, for: viewer, withExif: true)
        return (try? JSONValue(parsing: JSON.encode(message))).map { SocketIOPacket(event: name, [$0]) }
    }
}
