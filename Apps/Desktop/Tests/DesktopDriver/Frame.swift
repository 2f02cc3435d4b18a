/// The place of a control in its window, in pixels from the window's upper left corner.
struct Frame: Equatable, Sendable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    /// The right edge.
    var right: Int { x + width }
    /// The middle.
    var centre: (x: Int, y: Int) { (x + width / 2, y + height / 2) }
}
