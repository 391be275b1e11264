/// The entry of a connection in the count of its address, and in the order of connections that may be
/// closed to make room for others.
struct ConnectionAdmission {
  /// The pool whose limit applies to the connection.
  let pool: SocketPool
  /// The address under which the connection is counted; `nil` when it is not counted.
  private var key: AddressKey?
  /// Whether the connection has sent a complete request or opened a session.
  private var isOpened = false
  /// Whether the connection may be closed to make room for others.
  private(set) var isSheddable = false

  init(in pool: SocketPool) {
    self.pool = pool
  }

  /// Counts the connection under an address, as unopened.
  mutating func enter(_ address: PeerAddress, in register: AddressRegister) -> ExceededAddressLimit?
  {
    guard let key = AddressKey(address) else { return nil }
    if let refusal = register.add(key) { return refusal }
    self.key = key
    isOpened = false
    return nil
  }

  /// Counts the connection as unopened again, under an address that may have changed since.
  mutating func reenter(
    _ address: PeerAddress, in register: AddressRegister
  ) -> ExceededAddressLimit? {
    guard let key, key == AddressKey(address) else {
      leave(register)
      return enter(address, in: register)
    }
    guard isOpened else { return nil }
    if let refusal = register.reopen(key) { return refusal }
    isOpened = false
    return nil
  }

  /// Counts the connection as opened.
  mutating func open(in register: AddressRegister) {
    guard let key, !isOpened else { return }
    register.open(key)
    isOpened = true
  }

  mutating func leave(_ register: AddressRegister) {
    guard let key else { return }
    register.remove(key, isOpened: isOpened)
    self.key = nil
  }

  /// Allows the connection to be closed to make room when it has been silent longest.
  mutating func becomeSheddable(_ slot: UInt32, in order: inout SilenceOrder, at now: Int64) {
    isSheddable = true
    order.insert(slot, in: pool, at: now)
  }

  mutating func stopBeingSheddable(_ slot: UInt32, in order: inout SilenceOrder) {
    guard isSheddable else { return }
    isSheddable = false
    order.remove(slot, from: pool)
  }

  /// Records that a connection that may be closed to make room has received or sent bytes.
  func noteLife(of slot: UInt32, in order: inout SilenceOrder, at now: Int64) {
    order.touch(slot, in: pool, at: now)
  }
}
