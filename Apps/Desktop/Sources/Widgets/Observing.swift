import Observation

/// Draws now, and again after every change of what `draw` has read. All changes of one turn of the main loop cause one
/// drawing.
///
/// It ends when the owner is released, so a page that its widget keeps is drawn as long as the widget exists.
@MainActor
package func observing<Owner: AnyObject & Sendable>(_ owner: Owner, _ draw: @escaping @MainActor (Owner) -> Void) {
    withObservationTracking {
        draw(owner)
    } onChange: { [weak owner] in
        // Called before the value changes, so the drawing runs in the next turn.
        Task { @MainActor in
            if let owner { observing(owner, draw) }
        }
    }
}
