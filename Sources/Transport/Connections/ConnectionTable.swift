/// Identifies a connection within its transport; never identifies a later connection in the same slot.
package struct ConnectionID: Hashable, Sendable {
  let slot: UInt32
  let generation: UInt32

  init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }

  package init(rawValue: UInt64) {
    self.init(
      slot: UInt32(truncatingIfNeeded: rawValue), generation: UInt32(rawValue >> 32))
  }

  /// The identifier as one number, for addresses outside the transport.
  package var rawValue: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}

/// The current way in which bytes reach a connection's socket.
enum WritePath: UInt8 {
  /// The queue is empty: plain bytes may be written directly to the socket.
  case direct
  /// The queue is empty, but the bytes have to be encrypted first.
  case encrypted
  /// The queue is not empty: new bytes are appended to it.
  case queued
  /// There is no socket: bytes become events of a stream.
  case events
  /// Deliveries are dropped.
  case closed
}

/// All connections of one transport.
///
/// The fields that a fan-out touches for each subscriber are stored densely in separate memory, 8 bytes
/// per connection. The connection objects are visited only in exceptional cases.
///
///     hot    [descriptor, path] [descriptor, path] …
///     cold   [Connection?]      [Connection?]      …
final class ConnectionTable {
  /// The fields of a connection that a write reads.
  struct HotSlot {
    var descriptor: Int32 = -1
    var path = WritePath.closed
  }

  /// The hot fields, indexed by slot.
  ///
  /// Raw memory, because a fan-out reads it while connections change their paths. It is reallocated only
  /// when a connection is accepted, never during a fan-out.
  private(set) var hot: UnsafeMutableBufferPointer<HotSlot>
  private var cold: [Connection?] = []
  private var generations: [UInt32] = []
  /// The streams among the connections, by slot; empty without streams.
  private var streams: [EventStream?] = []
  private var free: [UInt32] = []

  /// The number of connections.
  private(set) var count = 0
  /// The number of connections with bytes waiting to be written.
  private(set) var queuedCount = 0

  init() {
    hot = .allocate(capacity: 64)
    hot.initialize(repeating: HotSlot())
  }

  deinit {
    hot.deallocate()
  }

  /// Returns a connection; `nil` when it has ended.
  subscript(_ id: ConnectionID) -> Connection? {
    let slot = Int(id.slot)
    guard slot < cold.count, generations[slot] == id.generation else { return nil }
    return cold[slot]
  }

  /// Returns the connection in a slot.
  func connection(inSlot slot: UInt32) -> Connection? {
    Int(slot) < cold.count ? cold[Int(slot)] : nil
  }

  /// Returns the stream in a slot.
  func stream(inSlot slot: UInt32) -> EventStream? {
    Int(slot) < streams.count ? streams[Int(slot)] : nil
  }

  /// Stores the stream of a connection, which the table forgets with the connection.
  func insert(_ stream: EventStream, of id: ConnectionID) {
    while streams.count <= Int(id.slot) { streams.append(nil) }
    streams[Int(id.slot)] = stream
  }

  /// Reserves a slot for a new connection.
  func reserve(descriptor: Int32) -> ConnectionID {
    let slot = free.popLast() ?? appendSlot()
    hot[Int(slot)] = HotSlot(descriptor: descriptor, path: .closed)
    return ConnectionID(slot: slot, generation: generations[Int(slot)])
  }

  /// Stores the connection in the slot that was reserved for it.
  func insert(_ connection: Connection) {
    cold[Int(connection.id.slot)] = connection
    count += 1
  }

  func remove(_ id: ConnectionID) {
    let slot = Int(id.slot)
    guard slot < cold.count, generations[slot] == id.generation, cold[slot] != nil else { return }
    setPath(.closed, of: id)
    cold[slot] = nil
    if slot < streams.count { streams[slot] = nil }
    hot[slot] = HotSlot()
    generations[slot] &+= 1
    free.append(id.slot)
    count -= 1
  }

  func setPath(_ path: WritePath, of id: ConnectionID) {
    let slot = Int(id.slot)
    queuedCount += (path == .queued ? 1 : 0) - (hot[slot].path == .queued ? 1 : 0)
    hot[slot].path = path
  }

  func path(of id: ConnectionID) -> WritePath {
    hot[Int(id.slot)].path
  }

  /// Calls `body` with every connection; `body` may close connections.
  func forEach(_ body: (Connection) -> Void) {
    for slot in cold.indices {
      if let connection = cold[slot] { body(connection) }
    }
  }

  private func appendSlot() -> UInt32 {
    cold.append(nil)
    generations.append(0)
    if cold.count > hot.count { grow() }
    return UInt32(cold.count - 1)
  }

  private func grow() {
    let larger = UnsafeMutableBufferPointer<HotSlot>.allocate(capacity: hot.count * 2)
    larger.initialize(repeating: HotSlot())
    for index in hot.indices { larger[index] = hot[index] }
    hot.deallocate()
    hot = larger
  }
}
