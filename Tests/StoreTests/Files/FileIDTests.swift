import Synchronization
import Testing

@testable import Store

@Suite("File IDs")
struct FileIDTests {
  @Test("IDs of one millisecond are in the order of their creation")
  func order() {
    let count = Atomic<Int64>(0)
    let names = (0..<200).map { _ in FileID.make(after: count, at: 1_700_000_000_000) }
    #expect(names == names.sorted())
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy(FileID.isValid))
    // The clock goes on, stands still, and is set back a little.
    let later = [1_700_000_000_500, 1_700_000_000_500, 1_700_000_000_400].map {
      FileID.make(after: count, at: $0)
    }
    #expect((names + later) == (names + later).sorted())
  }

  @Test("a clock that is set back far is followed")
  func setBack() {
    let count = Atomic<Int64>(0)
    _ = FileID.make(after: count, at: 1_700_000_000_000)
    let before = FileID.make(after: count, at: 1_699_999_000_000)
    let after = FileID.make(after: count, at: 1_699_999_000_001)
    #expect(before < after)
    #expect(count.load(ordering: .relaxed) == 1_699_999_000_001)
  }
}
