/// The report of a stage about its users to the home that it attaches to, in pieces of bounded size.
///
/// A piece holds those who are still there when it is sent: the home learns of all others by the reports
/// of their entering and leaving.
struct StageInventory: Sendable {
  /// The bytes of names in a piece, about.
  private static let pieceBytes = 32_768

  private var userIDs: ArraySlice<String> = []

  init() {}

  init(userIDs: [String]) { self.userIDs = userIDs[...] }

  /// The next piece; the last one may be empty.
  mutating func next(isHere: (String) -> Bool) -> StagePiece {
    var rest = Self.pieceBytes
    var users: [String] = []
    while rest > 0, let userID = userIDs.popFirst() {
      guard isHere(userID) else { continue }
      users.append(userID)
      rest -= userID.utf8.count + 4
    }
    return StagePiece(userIDs: users, isLast: userIDs.isEmpty)
  }
}
