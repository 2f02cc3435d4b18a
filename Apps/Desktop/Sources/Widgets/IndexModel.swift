import CAdwaita

/// A list model of `count` items without content. It holds no item, so a million cost as much as ten.
///
/// GTK asks for the items of visible rows. A row reads what it shows by the item's position.
@MainActor
package struct IndexModel {
    /// The object, which the view that shows it owns.
    package let model: OpaquePointer

    /// Makes a model without items.
    package init() {
        model = OpaquePointer(g_object_new_with_properties(Self.type, 0, nil, nil)!)
    }

    /// The number of items. A change keeps the rows of the items that stay.
    package var count: Int {
        get { Int(instance.pointee.count) }
        nonmutating set {
            let (old, new) = (instance.pointee.count, guint(clamping: newValue))
            guard old != new else { return }
            instance.pointee.count = new
            g_list_model_items_changed(model, min(old, new), old > new ? old - new : 0, new > old ? new - old : 0)
        }
    }

    private var instance: UnsafeMutablePointer<LatchIndexModel> { model.cast() }

    private static let type = {
        let type = g_type_register_static_simple(
            g_object_get_type(), "LatchIndexModel", guint(MemoryLayout<GObjectClass>.size), nil,
            guint(MemoryLayout<LatchIndexModel>.size), nil, GTypeFlags(rawValue: 0))
        var interface = GInterfaceInfo(
            interface_init: { interface, _ in
                let interface = interface!.assumingMemoryBound(to: GListModelInterface.self)
                interface.pointee.get_item_type = { _ in g_object_get_type() }
                interface.pointee.get_n_items = { $0!.cast(to: LatchIndexModel.self).pointee.count }
                interface.pointee.get_item = { model, index in
                    guard index < model!.cast(to: LatchIndexModel.self).pointee.count else { return nil }
                    return UnsafeMutableRawPointer(g_object_new_with_properties(g_object_get_type(), 0, nil, nil))
                }
            }, interface_finalize: nil, interface_data: nil)
        g_type_add_interface_static(type, g_list_model_get_type(), &interface)
        return type
    }()
}
