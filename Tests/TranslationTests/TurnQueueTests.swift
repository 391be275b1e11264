import TestSupport
import Testing

@testable import Translation

@Suite("Turns of users")
struct TurnQueueTests {
  @Test("the users' oldest items are taken in turn, and a new user comes after waiting ones")
  func turns() {
    var queue = TurnQueue<String, Int>()
    for element in 1...3 { queue.append(element, of: "ann") }
    queue.append(4, of: "bob")
    #expect(queue.popFirst() == 1)
    queue.append(5, of: "cy")
    #expect(queue.removeAll() == [4, 2, 5, 3])
    #expect(queue.count == 0 && queue.popFirst() == nil)
  }

  @Test("random calls return what a list per user returns", arguments: 0..<50)
  func model(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var queue = TurnQueue<Int, Int>()
    var lines: [Int: [Int]] = [:]
    for element in 0..<300 {
      let user = Int.random(in: 0..<4, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0...2:
        queue.append(element, of: user)
        lines[user, default: []].append(element)
      case 3:
        guard let first = queue.popFirst() else {
          #expect(lines.values.map(\.count).max() ?? 0 == 0)
          continue
        }
        #expect(lines.filter { $0.value.first == first }.count == 1)
        for user in lines.keys where lines[user]?.first == first { lines[user]?.removeFirst() }
      case 4:
        guard let line = lines[user], let element = line.randomElement(using: &random) else {
          continue
        }
        queue.remove(element, of: user)
        lines[user]?.removeAll { $0 == element }
      default:
        let length = Int.random(in: 0..<5, using: &random)
        let longest = lines.values.map(\.count).max() ?? 0
        let last = queue.popLast(beyond: length)
        #expect((last != nil) == (longest > length))
        guard let last else { continue }
        for user in lines.keys where lines[user]?.last == last {
          #expect(lines[user]?.count == longest)
          lines[user]?.removeLast()
        }
      }
      #expect(queue.count == lines.values.reduce(0) { $0 + $1.count })
      for user in 0..<4 { #expect(queue.count(of: user) == lines[user]?.count ?? 0) }
    }
  }
}
