import Synchronization

/// The places of each person for responses that hold memory until their reader has taken them. A reader may take any
/// time, so without places one person could occupy any amount of memory.
package final class ResponsePlaces: Sendable {
    /// A place of a person, until ``leave()`` or the last reference to it.
    package final class Place: Sendable {
        private let places: ResponsePlaces
        private let person: String
        private let isTaken = Mutex(true)

        fileprivate init(_ places: ResponsePlaces, _ person: String) {
            self.places = places
            self.person = person
        }

        deinit { leave() }

        /// Gives the place to another response. Further calls do nothing.
        package func leave() {
            let wasTaken = isTaken.withLock { isTaken in
                defer { isTaken = false }
                return isTaken
            }
            if wasTaken { places.leave(person) }
        }
    }

    private let maximum: Int
    private let taken = Mutex<[String: Int]>([:])

    /// Creates the places.
    ///
    /// - Parameter maximum: The places of each person.
    package init(_ maximum: Int) {
        self.maximum = maximum
    }

    /// Returns a place of a person. Nil when all are taken.
    package func take(for person: String) -> Place? {
        let isFree = taken.withLock { taken in
            guard taken[person, default: 0] < maximum else { return false }
            taken[person, default: 0] += 1
            return true
        }
        return isFree ? Place(self, person) : nil
    }

    /// The number of places that a person has taken.
    func count(of person: String) -> Int { taken.withLock { $0[person] ?? 0 } }

    private func leave(_ person: String) {
        taken.withLock { taken in
            let left = (taken[person] ?? 0) - 1
            taken[person] = left > 0 ? left : nil
        }
    }
}
