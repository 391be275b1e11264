import Testing

@testable import Channels

@Suite("The users of a stage, in pieces")
struct StageInventoryTests {
  @Test("pieces are bounded in size and contain every user once")
  func pieces() {
    let users = (0..<10_000).map { "user-\($0)" }
    var inventory = StageInventory(userIDs: users)
    var found: [String] = []
    var count = 0
    while true {
      let piece = inventory.next { _ in true }
      #expect(piece.userIDs.reduce(0) { $0 + $1.utf8.count } < 33_000)
      found += piece.userIDs
      count += 1
      if piece.isLast { break }
    }
    #expect(found == users)
    #expect(count > 3)
  }

  @Test("users who left in the meantime are not included")
  func left() {
    var inventory = StageInventory(userIDs: ["ann", "ben"])
    #expect(inventory.next { $0 == "ben" } == StagePiece(userIDs: ["ben"], isLast: true))
  }

  @Test("a stage without users sends one empty piece")
  func empty() {
    var inventory = StageInventory()
    #expect(inventory.next { _ in true } == StagePiece(userIDs: [], isLast: true))
  }
}
