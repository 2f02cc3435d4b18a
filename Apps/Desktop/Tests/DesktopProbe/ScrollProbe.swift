import CAdwaita
import FoundationEssentials
import Glibc
import Widgets

/// Scrolls through a grid of 100,000 pictures and prints the frames of each second, the time of the processor for one frame on the
/// main thread and the memory: `DesktopProbe scroll`.
///
/// Each cell decodes a JPEG file of the size of a thumbnail, on another thread as in the library. The first pass shows no pictures,
/// which is what the display and GTK cost alone.
@MainActor
final class ScrollProbe {
    /// The speeds in pixels a frame, with their names: reading, a fling, and the whole grid.
    private static let passes: [(name: String, step: Double)] = [
        ("20 px a frame, no pictures", 20), ("20 px a frame", 20), ("200 px a frame", 200), ("whole grid", 0),
        ("whole grid again", 0),
    ]
    private static let frames = 600
    private static let side: Int32 = 132

    private let window: Widget = gtk_window_new()
    private let grid: ItemList<Cell>
    private let done: @MainActor () -> Void
    private let isEmpty: Switch
    private var frame = 0
    private var pass = 0
    private var start = ContinuousClock.now
    private var work = Duration.zero

    /// Whether the cells show no pictures now.
    @MainActor
    private final class Switch {
        var isOn = true
    }

    /// One picture of the grid.
    @MainActor
    private final class Cell {
        let picture = Picture("Picture")
        private var decoding: Task<Void, Never>?

        init() { picture.show(nil, side: ScrollProbe.side) }

        deinit { decoding?.cancel() }

        func show(_ bytes: [UInt8]) {
            decoding?.cancel()
            picture.show(nil, side: ScrollProbe.side)
            decoding = Task { [weak self] in
                let image = await DecodedImage.decoded(bytes, side: ScrollProbe.side)
                if !Task.isCancelled { self?.picture.show(image, side: ScrollProbe.side) }
            }
        }
    }

    /// Shows the window and begins.
    init(done: @escaping @MainActor () -> Void) {
        self.done = done
        let files = (0..<64).map { Self.jpeg(seed: $0) }
        let isEmpty = Switch()
        self.isEmpty = isEmpty
        grid = ItemList(
            "Pictures", .grid(columns: 2...12),
            make: {
                let cell = Cell()
                return (cell, cell.picture.styled("frame"))
            }, show: { cell, index in if !isEmpty.isOn { cell.show(files[index % files.count]) } })
        grid.items.count = 100_000
        gtk_window_set_default_size(window.cast(), 1_400, 900)
        gtk_window_set_child(window.cast(), grid.widget)
        gtk_window_present(window.cast())
        grid.widget.keep(self)
        let tick: GtkTickCallback = { _, _, probe in
            // GTK calls it on the main thread, so the pointer does not change threads.
            nonisolated(unsafe) let probe = probe!
            return MainActor.assumeIsolated { Unmanaged<ScrollProbe>.fromOpaque(probe).takeUnretainedValue().tick() }
        }
        gtk_widget_add_tick_callback(window, tick, Unmanaged.passUnretained(self).toOpaque(), nil)
    }

    private func tick() -> gboolean {
        let adjustment = gtk_scrolled_window_get_vadjustment(grid.widget.opaque)
        let end = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
        let (name, step) = Self.passes[pass]
        if frame == 0 {
            isEmpty.isOn = pass == 0
            gtk_adjustment_set_value(adjustment, 0)
            (start, work) = (.now, Self.processorTime)
        } else {
            let next = gtk_adjustment_get_value(adjustment) + step
            gtk_adjustment_set_value(adjustment, step > 0 ? next : end * Double(frame) / Double(Self.frames))
        }
        frame += 1
        guard frame > Self.frames else { return 1 }
        let rate = Double(Self.frames) / ((ContinuousClock.now - start) / .seconds(1))
        let milliseconds = ((Self.processorTime - work) / .milliseconds(1)) / Double(Self.frames)
        print(
            "  \(name): \(Int(rate.rounded())) frames a second, \(Int(milliseconds.rounded())) ms of the processor for a frame, "
                + "\(Self.residentMiB) MiB resident")
        fflush(nil)
        (frame, pass) = (0, pass + 1)
        guard pass == Self.passes.count else { return 1 }
        done()
        return 0
    }

    /// The time that the processor has worked for the calling thread.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// The resident memory of this process.
    private static var residentMiB: Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4096 / 1_048_576 : 0
    }

    /// A JPEG file of 250 × 250 pixels with noise, as large as the thumbnail of a photo.
    private static func jpeg(seed: Int) -> [UInt8] {
        var state = UInt32(seed + 1)
        let pixels = (0..<250 * 250 * 3).map { index in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: index / 750 / 2 + seed * 3) &+ UInt8(state >> 28)
        }
        let data = g_bytes_new(pixels, gsize(pixels.count))
        let pixbuf = gdk_pixbuf_new_from_bytes(data, GDK_COLORSPACE_RGB, 0, 8, 250, 250, 750)
        defer {
            g_bytes_unref(data)
            g_object_unref(UnsafeMutableRawPointer(pixbuf))
        }
        var (buffer, count): (UnsafeMutablePointer<CChar>?, gsize) = (nil, 0)
        gdk_pixbuf_save_to_bufferv(pixbuf, &buffer, &count, "jpeg", nil, nil, nil)
        defer { g_free(buffer) }
        return UnsafeRawBufferPointer(start: buffer, count: Int(count)).map(\.self)
    }
}
