/// The servers that users are on or about to enter on, in the order in which they asked.
///
/// The first of them begins the user's window, and the others take it over; from a server that has the
/// user they do so in any case. A server keeps its place while it has the user or any of the user's
/// connections is on the way there, however many enter, leave or give up. To a new home, a server that
/// goes on by the word of the home before comes ahead of those that only ask. A list is kept for users alone of
/// whom a connection is on the way.
struct EntryClaims: Sendable {
  private struct Claim: Sendable {
    let server: UInt16
    /// The admissions that are not settled.
    var numbers: [UInt64: EntryClaim.Standing] = [:]

    var standing: EntryClaim.Standing { numbers.values.max() ?? .asking }
  }

  /// The number of admissions to a stage beside the home, which are not settled by number.
  static let here: UInt64 = 0

  /// The server of the home.
  private let server: UInt16
  private var claims: [String: [Claim]] = [:]
  private var sweepSize = 64

  init(server: UInt16) { self.server = server }

  /// Notes a connection that is about to enter.
  ///
  /// - Parameters:
  ///   - roster: The users in the channel.
  ///   - isEntering: Whether a user is about to enter on the home's server.
  /// - Returns: Another server that has the user, or one with an earlier place.
  mutating func add(
    _ number: UInt64, of userID: String, on server: UInt16, in roster: ChannelRoster,
    isEntering: (String) -> Bool
  ) -> UInt16? {
    sweep(isEntering)
    var list = claims[userID] ?? []
    list.removeAll { claim in
      !isOpen(claim, of: userID, isEntering) && !roster.contains(userID, on: claim.server)
    }
    for place in roster.servers(of: userID) where !list.contains(where: { $0.server == place }) {
      list.append(Claim(server: place))
    }
    let index = list.firstIndex { $0.server == server } ?? list.count
    if index == list.count { list.append(Claim(server: server)) }
    list[index].numbers[number] = .asking
    claims[userID] = list
    guard !roster.contains(userID, on: server) else { return nil }
    // A window that was on the way to a server may have come before that of the first place began.
    if let holder = list.first(where: { roster.contains(userID, on: $0.server) }) {
      return holder.server
    }
    let highest = list.map(\.standing).max()
    let first = list.first { $0.standing == highest }?.server
    guard first == server else { return first }
    // The window begins there, whichever of its admissions are settled before it enters.
    claims[userID]?[index].numbers[number] = .holding
    return nil
  }

  /// Forgets an admission whose connection has entered, or does not enter.
  mutating func settle(_ number: UInt64, of userID: String, on server: UInt16) {
    guard var list = claims[userID], let index = list.firstIndex(where: { $0.server == server })
    else { return }
    list[index].numbers[number] = nil
    claims[userID] = list.allSatisfy(\.numbers.isEmpty) ? nil : list
  }

  /// Gives servers the first places that go on from the window of a user who has left another server.
  ///
  /// A connection that was let in there, and has not entered, asks again.
  mutating func prefer(_ heirs: [UInt16], to server: UInt16, for userID: String) {
    guard !heirs.isEmpty, var list = claims[userID] else { return }
    if let index = list.firstIndex(where: { $0.server == server }) {
      for number in list[index].numbers.keys { list[index].numbers[number] = .asking }
    }
    claims[userID] =
      list.filter { heirs.contains($0.server) } + list.filter { !heirs.contains($0.server) }
  }

  /// Takes over the admissions that a server has open; it keeps its places.
  ///
  /// - Parameter lastNumber: The last admission that may be over; later ones are open.
  mutating func replace(
    of server: UInt16, by entering: [EntryClaim], upTo lastNumber: UInt64
  ) {
    var former: [String: [UInt64: EntryClaim.Standing]] = [:]
    for (userID, list) in claims {
      guard let index = list.firstIndex(where: { $0.server == server }) else { continue }
      former[userID] = list[index].numbers
      claims[userID]?[index].numbers = list[index].numbers.filter { $0.key > lastNumber }
    }
    for claim in entering {
      var list = claims[claim.userID] ?? []
      let index = list.firstIndex { $0.server == server } ?? list.count
      if index == list.count { list.append(Claim(server: server)) }
      list[index].numbers[claim.number] = max(
        claim.standing, former[claim.userID]?[claim.number] ?? .asking)
      claims[claim.userID] = list
    }
  }

  /// Forgets a server that is gone.
  mutating func removeAll(of server: UInt16) {
    for (userID, list) in claims {
      let rest = list.filter { $0.server != server }
      claims[userID] = rest.isEmpty ? nil : rest
    }
  }

  /// Drops lists in which nothing is open, when their number has doubled since the last look.
  private mutating func sweep(_ isEntering: (String) -> Bool) {
    guard claims.count >= sweepSize else { return }
    claims = claims.filter { userID, list in
      list.contains { isOpen($0, of: userID, isEntering) }
    }
    sweepSize = max(64, claims.count * 2)
  }

  /// Whether a connection of a user is on the way to a server.
  private func isOpen(_ claim: Claim, of userID: String, _ isEntering: (String) -> Bool) -> Bool {
    claim.numbers.keys.contains { $0 != Self.here } || claim.server == server && isEntering(userID)
  }
}

/// A connection on the way to a stage, as the stage names it.
package struct EntryClaim: Sendable, Hashable {
  package let number: UInt64
  package let userID: String
  package let standing: Standing

  package init(number: UInt64, userID: String, standing: Standing) {
    self.number = number
    self.userID = userID
    self.standing = standing
  }

  /// The way that a connection has gone, least first.
  package enum Standing: UInt8, Sendable, Comparable {
    /// The home is asked about it.
    case asking
    /// The window of its user was asked for, by the word of a home.
    case awaiting
    /// The window of its user has come, or begins with it, by the word of a home.
    case holding

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  /// The same of a connection about which the home is asked.
  var asAsked: EntryClaim { EntryClaim(number: number, userID: userID, standing: .asking) }
}
