import CAdwaita

/// The pixels of an image file, scaled down to the size at which it is shown.
///
/// It can be made on any thread. The number of pixels is limited before memory is allocated for them, because the file
/// comes from a server.
package final class DecodedImage: @unchecked Sendable {
    // Textures are immutable, and GObject counts references atomically.

    /// The largest number of pixels of a file that is decoded.
    private static let mostPixels = 64 << 20

    /// The image for GTK.
    let texture: OpaquePointer

    /// Decodes a file. Fails when the bytes are not a complete image, or one with too many pixels.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the file, in any format that the system's gdk-pixbuf reads.
    ///   - side: The length in pixels to which the longer side is reduced.
    package init?(_ bytes: [UInt8], side: Int32) {
        guard let loader = gdk_pixbuf_loader_new() else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(loader)) }
        let limit = UnsafeMutableRawPointer(bitPattern: Int(side))
        let prepared: @convention(c) (UnsafeMutableRawPointer?, Int32, Int32, UnsafeMutableRawPointer?) -> Void = {
            loader, width, height, side in
            let loader = loader!.assumingMemoryBound(to: GdkPixbufLoader.self)
            guard Int(width) * Int(height) <= DecodedImage.mostPixels else {
                // The loader fails for an empty size.
                gdk_pixbuf_loader_set_size(loader, 0, 0)
                return
            }
            let (side, longer) = (Double(Int(bitPattern: side)), Double(max(width, height)))
            guard longer > side else { return }
            gdk_pixbuf_loader_set_size(
                loader, max(1, Int32(Double(width) * side / longer)), max(1, Int32(Double(height) * side / longer)))
        }
        g_signal_connect_data(
            loader, "size-prepared", unsafeBitCast(prepared, to: GCallback.self), limit, nil,
            GConnectFlags(rawValue: 0))
        let isRead = gdk_pixbuf_loader_write(loader, bytes, gsize(bytes.count), nil) != 0
        let isComplete = gdk_pixbuf_loader_close(loader, nil) != 0
        guard isRead, isComplete, let pixbuf = gdk_pixbuf_loader_get_pixbuf(loader),
            let texture = gdk_texture_new_for_pixbuf(pixbuf)
        else { return nil }
        self.texture = texture
    }

    /// Decodes a file outside of the main thread, because it may have many pixels.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the file.
    ///   - side: The length in pixels to which the longer side is reduced.
    /// - Returns: The image; nil as for ``init(_:side:)``, and when the task was cancelled before.
    @concurrent
    package static func decoded(_ bytes: [UInt8], side: Int32) async -> DecodedImage? {
        // Many requests wait while a person scrolls, and most of them are for pictures that have left the screen.
        Task.isCancelled ? nil : DecodedImage(bytes, side: side)
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(texture)) }
}
