import Reactor

/// Counting a connection under its client's address, and among those that may be closed to make room
/// for others.
extension Connection {
  /// The address that a connection is counted under.
  struct CountedAddress {
    let key: AddressKey
    /// Whether it has sent a whole request or opened a session.
    var isOpened = false
  }

  /// Takes note that a session was opened on the WebSocket: the connection counts as opened, and is
  /// not closed to make room for others.
  package func sessionDidOpen() {
    markOpened()
    stopBeingSheddable()
  }

  /// Counts the connection, under its client's address, as one on which no session is open: that of
  /// a request to upgrade it, which is refused unless this returns `nil`.
  package func awaitSession() -> ExceededAddressLimit? {
    guard let register = transport.configuration.addresses, let address = countedAddress else {
      return nil
    }
    guard let counted, counted.key == AddressKey(address) else {
      leaveAddress()
      return count(under: address)
    }
    guard counted.isOpened else { return nil }
    if let refusal = register.reopen(counted.key) { return refusal }
    self.counted?.isOpened = false
    return nil
  }

  /// Counts the connection under the address of its peer, or of the client that a proxy introduced.
  ///
  /// A trusted proxy itself is not counted, as it has connections for many clients.
  func enterAddress() -> ExceededAddressLimit? {
    guard transport.configuration.addresses != nil, let address = countedAddress else { return nil }
    return count(under: address)
  }

  func markOpened() {
    guard let counted, !counted.isOpened else { return }
    transport.configuration.addresses?.open(counted.key)
    self.counted?.isOpened = true
  }

  func leaveAddress() {
    guard let counted else { return }
    transport.configuration.addresses?.remove(counted.key, isOpened: counted.isOpened)
    self.counted = nil
  }

  private func count(under address: PeerAddress) -> ExceededAddressLimit? {
    guard let key = AddressKey(address) else { return nil }
    if let refusal = transport.configuration.addresses?.add(key) { return refusal }
    counted = CountedAddress(key: key)
    return nil
  }

  /// The client's address; `nil` when a proxy that is believed did not name the client.
  private var countedAddress: PeerAddress? {
    if let provenance { return provenance.forwarded ?? provenance.introduced }
    guard let peer = introducedAddress,
      transport.configuration.forwarding?.trusted.contains(peer) != true
    else { return nil }
    return peer
  }

  /// Lets the connection be closed to make room, when it has been silent longest.
  func becomeSheddable() {
    isSheddable = true
    transport.silence.insert(id.slot, in: pool, at: transport.loop.now)
  }

  func stopBeingSheddable() {
    guard isSheddable else { return }
    isSheddable = false
    transport.silence.remove(id.slot, from: pool)
  }

  /// Takes note that bytes were received or sent.
  func noteLife() {
    guard isSheddable else { return }
    transport.silence.touch(id.slot, in: pool, at: transport.loop.now)
  }
}
