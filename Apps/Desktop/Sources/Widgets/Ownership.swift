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

    /// Keeps another widget alive as long as this one, for a widget that is added to a container and removed again.
    package func hold(_ other: any Element) {
        let object = UnsafeMutableRawPointer(other.widget)
        g_object_set_data_full(
            widget.cast(), "held-\(UInt(bitPattern: object))", g_object_ref_sink(object), { g_object_unref($0) })
    }
}
