import CAdwaita
import Foundation
import Testing

@testable import Widgets

/// Thumbnails are decoded by the loaders of the system's gdk-pixbuf.
@Suite("Decoded images", .timeLimit(.minutes(1)))
struct DecodedImageTests {
    /// An image of 256 × 128 pixels.
    private static let webp =
        "UklGRqAAAABXRUJQVlA4IJQAAACQCgCdASoAAYAAPxGIwFosKSakIEgBgCIJaW7hdgD+wBPa9FXCDIIdpPFLaLhBkENeFPPVaHCxwRGN+m4F8w"
        + "dVSdb4cHcIsrYQ7SeKW0XCDJFFXCDIN+gqea9FWcAA/v6IpfYYS/6//3B9iv1di12Nzs/Jql/Ty5tXuFTKmo+U/Tun8sAAAJKJKxJGJKxJGJKx"
        + "AAAA"

    private static var hasLoader: Bool {
        guard let loader = gdk_pixbuf_loader_new_with_type("webp", nil) else { return false }
        gdk_pixbuf_loader_close(loader, nil)
        g_object_unref(UnsafeMutableRawPointer(loader))
        return true
    }

    @Test("DL-9 a WebP thumbnail, as Immich sends it, is decoded at the size of its cell", .enabled(if: hasLoader))
    func webp() throws {
        let bytes = [UInt8](try #require(Data(base64Encoded: Self.webp)))
        let image = try #require(DecodedImage(bytes, side: 64))
        #expect(gdk_texture_get_width(image.texture) == 64 && gdk_texture_get_height(image.texture) == 32)
        #expect(DecodedImage(Array(bytes.prefix(20)), side: 64) == nil)
        #expect(DecodedImage([], side: 64) == nil)
    }
}
