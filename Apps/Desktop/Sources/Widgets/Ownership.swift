import CAdwaita

@MainActor
extension Element {
    /// Keeps a Swift object alive as long as the widget. A widget keeps one object.
    package func keep(_ object: AnyObject) {
        g_object_set_data_full(
            widget.cast(), "swift-object", Unmanaged.passRetained(object).toOpaque(),
            { Unmanaged<AnyObject>.fromOpaque($0!).release() })
    }

    /// The object that the widget keeps, if it has this type.
    package func kept<Object: AnyObject>(as: Object.Type) -> Object? {
        guard let object = g_object_get_data(widget.cast(), "swift-object") else { return nil }
        return Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue() as? Object
    }

    /// Keeps another widget alive as long as this one, also while it has no parent. A widget keeps one under each name.
    package func keep(_ element: any Element, as name: String) {
        g_object_set_data_full(widget.cast(), name, g_object_ref_sink(element.widget), { g_object_unref($0) })
    }
}
