package import ParleyProtocol

/// The users in a channel on all servers, in the order in which they entered.
///
/// A user is in the channel while it is on any server. Entries are found by slots, so that
/// entering, leaving and paging need no full scan.
package struct ChannelRoster: Sendable {
  /// A user in a channel.
  package struct Entry: Sendable {
    package fileprivate(set) var user: User
    fileprivate var servers: ServerList
    /// Increases with each user who enters.
    package let number: Int64
  }

  private var entries: [Entry?] = []
  private var slotByUser: [String: Int] = [:]
  private var freeSlots: [Int] = []
  private var order = EntryOrder()
  /// The number of users on each server that has any.
  private var counts: [UInt16: Int] = [:]

  package init() {}

  /// The number of users in the channel.
  package var count: Int { slotByUser.count }

  package func contains(_ userID: String) -> Bool { slotByUser[userID] != nil }

  /// The profile of a user in the channel.
  func user(_ userID: String) -> User? { slotByUser[userID].flatMap { entries[$0]?.user } }

  /// The number of users who are not on a server.
  func count(outside server: UInt16) -> Int { count - (counts[server] ?? 0) }

  /// The users on a server, in no particular order.
  func userIDs(on server: UInt16) -> [String] {
    entries.compactMap { entry in
      entry.flatMap { $0.servers.contains(server) ? $0.user.id : nil }
    }
  }

  /// Whether any user is on a server.
  func has(server: UInt16) -> Bool { counts[server] != nil }

  /// The servers of a user, in the order in which the user entered there.
  func servers(of userID: String) -> [UInt16] {
    slotByUser[userID].flatMap { entries[$0]?.servers.list } ?? []
  }

  /// Whether a user is on a server.
  func contains(_ userID: String, on server: UInt16) -> Bool {
    slotByUser[userID].flatMap { entries[$0]?.servers.contains(server) } ?? false
  }

  /// The users who entered after a certain entry, earliest first.
  package func page(after number: Int64, limit: Int) -> [Entry] {
    order.slots(after: number, limit: limit).compactMap { entries[$0] }
  }

  /// Adds a user on a server.
  ///
  /// - Returns: Whether the user is new in the channel.
  mutating func add(_ user: User, on server: UInt16) -> Bool {
    guard let slot = slotByUser[user.id] else {
      let slot = takeSlot()
      entries[slot] = Entry(user: user, servers: .one(server), number: order.append(slot))
      slotByUser[user.id] = slot
      counts[server, default: 0] += 1
      return true
    }
    entries[slot]?.user = user
    if entries[slot]?.servers.insert(server) == true { counts[server, default: 0] += 1 }
    return false
  }

  /// Adds a user on a server, with the known profile.
  ///
  /// - Returns: Whether the user is new in the channel.
  mutating func add(_ userID: String, on server: UInt16) -> Bool {
    add(user(userID) ?? User(id: userID), on: server)
  }

  /// Removes a user from a server.
  ///
  /// - Returns: The user, if it was on no other server.
  mutating func remove(_ userID: String, from server: UInt16) -> User? {
    guard let slot = slotByUser[userID], let entry = entries[slot],
      entry.servers.contains(server)
    else { return nil }
    guard let rest = entry.servers.removing(server) else { return free(slot, entry) }
    entries[slot]?.servers = rest
    uncount(server)
    return nil
  }

  /// Removes a user from all servers.
  mutating func remove(_ userID: String) -> User? {
    guard let slot = slotByUser[userID], let entry = entries[slot] else { return nil }
    return free(slot, entry)
  }

  /// Removes all users.
  mutating func removeAll() -> [User] {
    let users = entries.compactMap { $0?.user }
    self = ChannelRoster()
    return users
  }

  mutating func update(_ user: User) {
    if let slot = slotByUser[user.id] { entries[slot]?.user = user }
  }

  private mutating func takeSlot() -> Int {
    if let slot = freeSlots.popLast() { return slot }
    entries.append(nil)
    return entries.count - 1
  }

  private mutating func free(_ slot: Int, _ entry: Entry) -> User {
    order.remove(entry.number)
    entries[slot] = nil
    slotByUser[entry.user.id] = nil
    freeSlots.append(slot)
    entry.servers.forEach { uncount($0) }
    return entry.user
  }

  private mutating func uncount(_ server: UInt16) {
    let count = (counts[server] ?? 0) - 1
    counts[server] = count > 0 ? count : nil
  }
}

/// The servers of a user, nearly always one, which needs no allocation.
private enum ServerList: Sendable {
  case one(UInt16)
  /// Two or more, in the order in which the user entered there.
  case several([UInt16])

  var list: [UInt16] {
    switch self {
    case .one(let server): [server]
    case .several(let servers): servers
    }
  }

  func contains(_ server: UInt16) -> Bool {
    switch self {
    case .one(let one): one == server
    case .several(let servers): servers.contains(server)
    }
  }

  /// Adds a server.
  ///
  /// - Returns: Whether the server was not in the list.
  mutating func insert(_ server: UInt16) -> Bool {
    guard !contains(server) else { return false }
    switch self {
    case .one(let one): self = .several([one, server])
    case .several(let servers): self = .several(servers + [server])
    }
    return true
  }

  /// The list without a server; `nil` if no other server is left.
  func removing(_ server: UInt16) -> ServerList? {
    switch self {
    case .one(let one): return one == server ? nil : self
    case .several(let servers):
      let rest = servers.filter { $0 != server }
      return rest.count == 1 ? .one(rest[0]) : .several(rest)
    }
  }

  func forEach(_ body: (UInt16) -> Void) {
    switch self {
    case .one(let server): body(server)
    case .several(let servers): servers.forEach(body)
    }
  }
}
