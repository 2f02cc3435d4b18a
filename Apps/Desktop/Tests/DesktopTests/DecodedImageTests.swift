import CAdwaita
import Foundation
import TestSupport
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

    @Test("A WebP thumbnail, as Immich sends it, is decoded at the size of its cell", .enabled(if: hasLoader))
    func webp() throws {
        let bytes = [UInt8](try #require(Data(base64Encoded: Self.webp)))
        let image = try #require(DecodedImage(bytes, side: 64))
        #expect(gdk_texture_get_width(image.texture) == 64 && gdk_texture_get_height(image.texture) == 32)
        #expect(DecodedImage(Array(bytes.prefix(20)), side: 64) == nil)
        #expect(DecodedImage([], side: 64) == nil)
    }

    /// A progressive JPEG image of 64 × 32 pixels with six scans.
    private static let jpeg =
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////"
        + "////////wgALCAAgAEABAREA/8QAFQABAQAAAAAAAAAAAAAAAAAAAAH/2gAIAQEAAAABoAAAAD//xAAUEAEAAAAAAAAAAAAAAAAAAABQ/9oACAEB"
        + "AAEFAgP/xAAUEAEAAAAAAAAAAAAAAAAAAABQ/9oACAEBAAY/AgP/xAAUEAEAAAAAAAAAAAAAAAAAAABQ/9oACAEBAAE/IQP/2gAIAQEAAAAQAAAA"
        + "AP/EABQQAQAAAAAAAAAAAAAAAAAAAFD/2gAIAQEAAT8QA//Z"

    /// Returns the image with its last scan repeated.
    private func image(repeats: Int) throws -> [UInt8] {
        let bytes = [UInt8](try #require(Data(base64Encoded: Self.jpeg)))
        let last = try #require(bytes.indices.last { bytes[$0...].starts(with: [0xFF, 0xDA]) })
        let end = bytes.count - 2
        return bytes[..<end] + (0..<repeats).flatMap { _ in bytes[last..<end] } + bytes[end...]
    }

    @Test("A JPEG file with hundreds of scans, each of which is work for all pixels, is not decoded")
    func scans() throws {
        #expect(DecodedImage(try image(repeats: 0), side: 64) != nil)
        #expect(DecodedImage(try image(repeats: 94), side: 64) != nil)
        #expect(DecodedImage(try image(repeats: 95), side: 64) == nil)
        #expect(DecodedImage(try image(repeats: 10_000), side: 64) == nil)
    }

    @Test("An animated WebP file is not decoded, because each of its frames would be", .enabled(if: hasLoader))
    func animation() throws {
        let animation =
            "UklGRoIAAABXRUJQVlA4WAoAAAACAAAAPwAAHwAAQU5JTQYAAAAAAAAAAABBTk1GJgAAAAAAAAAAAD8AAB8AAAoAAAJWUDhMDgAA"
            + "AC8/wAcABxAR/Q9ERP8DQU5NRigAAAAAAAAAAAA/AAAfAAAKAAAAVlA4TA8AAAAvP8AHAAcQ1Yr+ByKi/wEA"
        #expect(DecodedImage([UInt8](try #require(Data(base64Encoded: animation))), side: 64) == nil)
    }

    @Test("The decoding of an image ends at its time limit, and when nobody needs it any more")
    func ended() async throws {
        let bytes = try image(repeats: 0)
        #expect(DecodedImage(bytes, side: 64, limit: .zero) == nil)
        let isDecoded = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return DecodedImage(bytes, side: 64) != nil
        }.value
        #expect(!isDecoded)
    }
}
