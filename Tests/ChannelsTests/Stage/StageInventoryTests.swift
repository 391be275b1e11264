import Testing

@testable import Channels

@Suite("The users of a stage, piece by piece")
struct StageInventoryTests {
  @Test("pieces are of bounded size and hold everyone once")
  func pieces() {
    let users = (0..<10_000).map { "user-\($0)" }
    let claims = (0..<2_000).map {
      EntryClaim(number: UInt64($0), userID: "user-\($0)", standing: .asking)
    }
    var inventory = StageInventory(userIDs: users, claims: claims)
    var found: [String] = []
    var open: [EntryClaim] = []
    var count = 0
    while true {
      let piece = inventory.next(isHere: { _ in true }, isOpen: { _ in true })
      #expect(piece.userIDs.reduce(0) { $0 + $1.utf8.count } < 33_000)
      found += piece.userIDs
      open += piece.entering
      count += 1
      if piece.isLast { break }
    }
    #expect(found == users)
    #expect(open == claims)
    #expect(count > 4)
  }

  @Test("those who have left since are not in it")
  func left() {
    var inventory = StageInventory(
      userIDs: ["ann", "ben"],
      claims: [.asking(1, "cat"), .asking(2, "dan")])
    let piece = inventory.next(isHere: { $0 == "ben" }, isOpen: { $0.number == 2 })
    #expect(piece.userIDs == ["ben"])
    #expect(piece.entering == [.asking(2, "dan")])
    #expect(piece.isLast)
  }

  @Test("a stage without users sends one empty piece")
  func empty() {
    var inventory = StageInventory()
    let piece = inventory.next(isHere: { _ in true }, isOpen: { _ in true })
    #expect(piece == StagePiece(userIDs: [], entering: [], isLast: true))
  }
}
