import FoundationEssentials
import LatchKit
import Testing

@testable import LatchDownloads

/// When complete files are put at their destinations.
@Suite("Batches of complete files")
struct PlacementBatchTests: DrivesDownloads {
    @Test("DL-2 files that become complete together are put at their destinations together")
    func batches() {
        let machine = machine((1...3).map { row($0) })
        #expect(begin(machine) == [1, 2, 3])
        for position in 1...2 {
            #expect(machine { $0.fileCompleted(ReadyFile(row: row(position))) }.isEmpty)
            #expect(
                !text(machine { $0.fetchEnded(position, hasResponse: true, at(0)) }).contains("place batch"))
        }
        #expect(machine { $0.fileCompleted(ReadyFile(row: row(3))) }.isEmpty)
        #expect(text(machine { $0.fetchEnded(3, hasResponse: true, at(0)) }) == ["place batch", "poll"])
        let (number, files) = machine { $0.nextBatch() }
        #expect(files.map(\.row.position) == [1, 2, 3] && !machine.isIdle)
        #expect(machine { $0.batchFlushed() }.isEmpty)
        for position in 1...3 { _ = machine { $0.placementEnded(position, at(0)) } }
        #expect(machine { $0.batchMoved(number) }.isEmpty && machine.isIdle)
    }

    @Test("DL-2 a file waits for others no longer than an interval, and for the batch before it")
    func interval() {
        let batches = Box(PlacementBatches())
        batches { $0.add(ReadyFile(row: row(1))) }
        #expect(!batches { $0.start(isLast: false) })
        batches { $0.intervalPassed() }
        #expect(batches { $0.start(isLast: false) })
        let first = batches { $0.nextBatch() }
        batches { $0.add(ReadyFile(row: row(2))) }
        #expect(!batches { $0.start(isLast: true) }, "the first batch is being flushed")
        batches { $0.flushed() }
        #expect(!batches { $0.start(isLast: false) } && batches { $0.start(isLast: true) })
        let second = batches { $0.nextBatch() }
        #expect(second.files.map(\.row.position) == [2])
        batches { $0.flushed() }
        batches { $0.add(ReadyFile(row: row(3))) }
        batches { $0.moved(first.number) }
        #expect(!batches { $0.start(isLast: true) }, "the second batch is being moved")
        batches { $0.moved(second.number) }
        #expect(
            batches { $0.start(isLast: true) }
                && batches { $0.nextBatch() }.files.map(\.row.position) == [3])
    }

    @Test("DL-16 when many complete files wait, a batch is full and no further transfer starts")
    func fullBatch() {
        let batches = Box(PlacementBatches())
        for position in 1...127 { batches { $0.add(ReadyFile(row: row(position))) } }
        #expect(!batches.isFull)
        batches { $0.add(ReadyFile(row: row(128))) }
        #expect(batches.isFull && batches { $0.start(isLast: false) })
        #expect(batches { $0.nextBatch() }.files.count == 64 && !batches.isFull)
    }

    @Test("DL-6 a part of a live photo is not put into a batch")
    func livePhoto() {
        let machine = machine([row(1, live: "live")])
        #expect(begin(machine) == [1])
        #expect(
            text(machine { $0.fileCompleted(ReadyFile(row: row(1, live: "live"))) }) == ["place half 1"])
        #expect(
            text(machine { $0.fetchEnded(1, hasResponse: true, at(0)) }) == ["poll"] && !machine.isIdle)
        #expect(text(machine { $0.placementEnded(1, at(0)) }) == ["poll"] && machine.isIdle)
    }
}
