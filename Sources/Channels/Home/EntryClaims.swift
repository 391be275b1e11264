/// The servers that users are about to enter on, in the order in which they asked.
///
/// A server keeps its place for a user while any of its connections is on the way, however many enter or
/// give up before: the first to be let in there begins the user's window, and the others take it over.
struct EntryClaims: Sendable {
  private struct Claim: Sendable {
    let server: UInt16
    /// The admissions that are not settled; of this server, those that were never looked at.
    var numbers: Set<UInt64>
  }

  /// The server of the home, whose admissions are not settled by number.
  private let server: UInt16
  private var claims: [String: [Claim]] = [:]
  private var sweepSize = 64

  init(server: UInt16) { self.server = server }

  /// Notes a connection that is about to enter.
  ///
  /// - Parameter isEntering: Whether a user is about to enter on the home's server.
  /// - Returns: A server that asked for the user before this one.
  mutating func add(
    _ number: UInt64, of userID: String, on server: UInt16, isEntering: (String) -> Bool
  ) -> UInt16? {
    sweep(isEntering)
    var list = claims[userID] ?? []
    if !isEntering(userID) { list.removeAll { $0.server == self.server } }
    let before = list.first { $0.server != server }
    if let index = list.firstIndex(where: { $0.server == server }) {
      list[index].numbers.insert(number)
      claims[userID] = list
      return index == 0 ? nil : before?.server
    }
    claims[userID] = list + [Claim(server: server, numbers: [number])]
    return before?.server
  }

  /// Forgets an admission whose connection has entered, or does not enter.
  mutating func settle(_ number: UInt64, of userID: String, on server: UInt16) {
    guard let index = claims[userID]?.firstIndex(where: { $0.server == server }) else { return }
    claims[userID]?[index].numbers.remove(number)
    guard claims[userID]?[index].numbers.isEmpty == true else { return }
    claims[userID]?.remove(at: index)
    if claims[userID]?.isEmpty == true { claims[userID] = nil }
  }

  /// Forgets all admissions of a server.
  mutating func removeAll(of server: UInt16) {
    for userID in claims.keys {
      claims[userID]?.removeAll { $0.server == server }
      if claims[userID]?.isEmpty == true { claims[userID] = nil }
    }
  }

  /// Drops the claims of this server that are over, when their number has doubled since the last look.
  private mutating func sweep(_ isEntering: (String) -> Bool) {
    guard claims.count >= sweepSize else { return }
    for userID in claims.keys where !isEntering(userID) {
      claims[userID]?.removeAll { $0.server == server }
      if claims[userID]?.isEmpty == true { claims[userID] = nil }
    }
    sweepSize = max(64, claims.count * 2)
  }
}
