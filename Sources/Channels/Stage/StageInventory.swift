/// The report of a stage's users to the home to which it attaches, in pieces of bounded size.
///
/// A piece holds the users who are still there when it is sent: the home learns of all others from
/// the reports of users who enter and leave.
struct StageInventory: Sendable {
  /// The approximate size of the names in a piece, in bytes.
  private static let pieceBytes = 32_768

  private var userIDs: ArraySlice<String> = []

  init() {}

  init(userIDs: [String]) { self.userIDs = userIDs[...] }

  /// Whether all users were in a piece.
  var isEmpty: Bool { userIDs.isEmpty }

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
