import CAdwaita
import Dispatch

/// The pixels of an image file, scaled down to the size at which it is shown.
///
/// It can be made on any thread. The number of pixels is limited before memory is allocated for them, and the work is
/// limited too, because the file comes from a server.
package final class DecodedImage: @unchecked Sendable {
    // Textures are immutable, and GObject counts references atomically.

    /// The largest number of pixels of a file that is decoded.
    private static let mostPixels = 24 << 20
    /// The largest GIF animation in bytes. All of its frames are decoded.
    private static let largestAnimation = 128 << 10
    /// The largest number of scans of a JPEG file. Each is work for all pixels, however short it is. Encoders write about
    /// ten; `djpeg` has its option `-maxscans` for the same reason.
    private static let mostScans = 100
    /// The length in bytes of the pieces between which the work is checked.
    private static let pieceLength = 32 << 10

    /// The image for GTK.
    let texture: OpaquePointer

    /// Decodes a file. Fails when the bytes are not a complete image, or one with too many pixels or scans, when the work
    /// takes too long, and when the task is cancelled.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the file, in any format that the system's gdk-pixbuf reads.
    ///   - side: The length in pixels to which the longer side is reduced.
    ///   - limit: How long the work may take. The last step, which only some formats need, is not interrupted.
    package init?(_ bytes: [UInt8], side: Int32, limit: Duration = .seconds(3)) {
        guard bytes.count <= Self.largestAnimation || !bytes.starts(with: Array("GIF8".utf8)),
            !Self.isAnimatedWebP(bytes), let pieces = Self.pieces(bytes)
        else { return nil }
        guard let loader = gdk_pixbuf_loader_new() else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(loader)) }
        let length = UnsafeMutableRawPointer(bitPattern: Int(side))
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
            loader, "size-prepared", unsafeBitCast(prepared, to: GCallback.self), length, nil,
            GConnectFlags(rawValue: 0))
        let end = ContinuousClock.now + limit
        let isRead = pieces.allSatisfy { piece in
            guard !Task.isCancelled, ContinuousClock.now < end else { return false }
            return bytes[piece].withUnsafeBufferPointer {
                gdk_pixbuf_loader_write(loader, $0.baseAddress, gsize($0.count), nil) != 0
            }
        }
        let isComplete = gdk_pixbuf_loader_close(loader, nil) != 0
        guard isRead, isComplete, let pixbuf = gdk_pixbuf_loader_get_pixbuf(loader),
            let texture = gdk_texture_new_for_pixbuf(pixbuf)
        else { return nil }
        self.texture = texture
    }

    /// Whether the file is an animated WebP. Its loader decodes all frames in one step, and a frame of any size may take
    /// only 50 bytes. Servers send still thumbnails.
    ///
    /// Source: RFC 9649 §2.7.1.
    private static func isAnimatedWebP(_ bytes: [UInt8]) -> Bool {
        bytes.count > 20 && bytes.starts(with: Array("RIFF".utf8)) && bytes[8..<16].elementsEqual("WEBPVP8X".utf8)
            && bytes[20] & 2 != 0
    }

    /// Returns the pieces of a file, none of which has more than one scan of a JPEG. Nil when it has too many scans.
    private static func pieces(_ bytes: [UInt8]) -> [Range<Int>]? {
        let isJPEG = bytes.starts(with: [0xFF, 0xD8])
        return bytes.withUnsafeBufferPointer { bytes in
            var (pieces, start, scans) = ([Range<Int>](), 0, 0)
            for index in bytes.indices.dropFirst() {
                // The marker of a scan. Compressed data never contains it.
                let isScan = isJPEG && bytes[index] == 0xDA && bytes[index - 1] == 0xFF
                if isScan { scans += 1 }
                guard scans <= mostScans else { return nil }
                guard isScan || index - start == pieceLength else { continue }
                pieces.append(start..<index)
                start = index
            }
            return pieces + [start..<bytes.count]
        }
    }

    /// Decodes a file on a thread of its own, one after another, because it may have many pixels.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the file.
    ///   - side: The length in pixels to which the longer side is reduced.
    /// - Returns: The image; nil as for ``init(_:side:limit:)``.
    package static func decoded(_ bytes: [UInt8], side: Int32) async -> DecodedImage? {
        await decoder.decode(bytes, side: side)
    }

    private static let decoder = Decoder()

    private actor Decoder {
        private let queue = DispatchSerialQueueExecutor()

        nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

        func decode(_ bytes: [UInt8], side: Int32) -> DecodedImage? {
            Task.isCancelled ? nil : DecodedImage(bytes, side: side)
        }
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(texture)) }
}

/// Runs the jobs of an actor on a queue of libdispatch, outside of the threads that other tasks share.
private final class DispatchSerialQueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "images", qos: .utility)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
