import Testing

@testable import Channels

/// The queue of sends that wait, against a plain list of them.
struct WaitingSendsTests {
  /// Obviously right: everything in one list, looked through from the beginning.
  private struct Model {
    struct Entry {
      let id: Int64
      let session: SessionAddress?
      var missing: Set<EnrichmentID>
      let deadline: Int64
      var earliest = Int64.min
    }

    var entries: [Entry] = []
    var lastID: Int64 = 0

    mutating func add(_ session: SessionAddress?, _ missing: [EnrichmentID], until deadline: Int64)
    {
      lastID += 1
      entries.append(
        Entry(id: lastID, session: session, missing: Set(missing), deadline: deadline))
    }

    func isFirst(_ index: Int) -> Bool {
      guard let session = entries[index].session else { return true }
      return !entries[..<index].contains { $0.session == session }
    }

    func due(at now: Int64) -> Int64? {
      entries.indices.first { index in
        let entry = entries[index]
        return isFirst(index) && (entry.missing.isEmpty || entry.deadline <= now)
          && entry.earliest <= now
      }.map { entries[$0].id }
    }

    var wakeTime: Int64? {
      entries.indices.filter(isFirst).map { index in
        let entry = entries[index]
        return entry.missing.isEmpty ? entry.earliest : max(entry.deadline, entry.earliest)
      }.min()
    }
  }

  @Test(arguments: 0..<40)
  func behavesLikeAList(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var queue = WaitingSends<Int64>()
    var model = Model()
    var now: Int64 = 0
    var additions: [EnrichmentID] = []
    for _ in 0..<300 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        let session = Int.random(in: 0..<4, using: &random)
        let address = session == 0 ? nil : SessionAddress(shard: 0, connection: UInt64(session))
        let missing = (0..<Int.random(in: 0..<3, using: &random)).map { _ in
          EnrichmentID(number: UInt64(additions.count + 1000))
        }
        additions += missing
        let deadline = now + Int64.random(in: 0..<50, using: &random)
        model.add(address, missing, until: deadline)
        queue.add(model.lastID, of: address, missing: missing, until: deadline)
      case 2:
        guard let id = additions.randomElement(using: &random) else { continue }
        queue.arrived(id)
        for index in model.entries.indices { model.entries[index].missing.remove(id) }
      case 3: now += Int64.random(in: 0..<30, using: &random)
      case 4:
        guard let id = model.due(at: now) else { continue }
        let time = now + Int64.random(in: 1..<20, using: &random)
        queue.postpone(id, until: time)
        for index in model.entries.indices where model.entries[index].id == id {
          model.entries[index].earliest = time
        }
      default:
        guard let id = queue.due(at: now) else { continue }
        #expect(queue.remove(id) == id)
        model.entries.removeAll { $0.id == id }
      }
      #expect(queue.due(at: now) == model.due(at: now))
      #expect(queue.wakeTime == model.wakeTime)
      #expect(queue.all == model.entries.map(\.id))
      #expect(queue.isEmpty == model.entries.isEmpty)
      for session in 1..<4 {
        let address = SessionAddress(shard: 0, connection: UInt64(session))
        #expect(queue.first(of: address) == model.entries.first { $0.session == address }?.id)
      }
    }
  }
}

/// Numbers from a seed (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
