import CAdwaita

/// A picture that scales with its space.
@MainActor
package struct Picture: Element {
    package let widget: Widget

    /// Makes an empty picture.
    ///
    /// - Parameter name: What the picture shows, for screen readers.
    package init(_ name: String) {
        widget = gtk_picture_new()
        gtk_picture_set_alternative_text(widget.opaque, name)
        // GTK 4.8 does not use the alternative text as the accessible name.
        named(name)
    }

    /// Shows a square pattern of dark and light modules, such as a QR code, with a light margin of four modules.
    ///
    /// - Parameters:
    ///   - side: The number of modules of a side, at most 177.
    ///   - scale: The pixels of a module.
    ///   - isDark: Returns whether the module at a line and a column is dark.
    package func show(side: Int, scale: Int = 6, isDark: (_ line: Int, _ column: Int) -> Bool) {
        let (margin, length) = (4, (side + 8) * scale)
        var pixels = [UInt8](repeating: 255, count: length * length * 3)
        for line in 0..<side {
            for column in 0..<side where isDark(line, column) {
                for y in 0..<scale {
                    let start = (((line + margin) * scale + y) * length + (column + margin) * scale) * 3
                    pixels.replaceSubrange(start..<start + scale * 3, with: repeatElement(0, count: scale * 3))
                }
            }
        }
        let bytes = g_bytes_new(pixels, gsize(pixels.count))
        let texture = gdk_memory_texture_new(Int32(length), Int32(length), GDK_MEMORY_R8G8B8, bytes, gsize(length * 3))
        g_bytes_unref(bytes)
        gtk_picture_set_paintable(widget.opaque, texture)
        g_object_unref(UnsafeMutableRawPointer(texture))
        gtk_widget_set_size_request(widget, Int32(length), Int32(length))
    }

    /// Says what the picture shows, for screen readers.
    package func describe(_ name: String) {
        gtk_picture_set_alternative_text(widget.opaque, name)
        named(name)
    }

    /// Shows a decoded image in a square, cut at its longer side. Nil shows nothing.
    package func show(_ image: DecodedImage?, side: Int32) {
        gtk_picture_set_content_fit(widget.opaque, GTK_CONTENT_FIT_COVER)
        gtk_picture_set_paintable(widget.opaque, image?.texture)
        gtk_widget_set_size_request(widget, side, side)
        aligned(horizontally: GTK_ALIGN_CENTER, vertically: GTK_ALIGN_CENTER)
    }
}
