import Cluster

/// A server that has nothing but links, all from the start.
struct LinkedServer: SimulatedServer {
  let id: ServerID
  private let codec: FrameCodec
  private var links: [ServerID: ServerLink] = [:]
  private var actions: [LinkAction] = []
  /// Deliveries and resets since they were last taken.
  private(set) var events: [(peer: ServerID, event: LinkAction)] = []
  private(set) var frameSizes = 0...0
  private(set) var refusedFrames = 0

  init(
    _ id: ServerID, peers: [ServerID], limits: LinkLimits, versions: LinkVersions = .current,
    authentication: (any FrameAuthentication)? = nil, at now: Int64
  ) {
    self.id = id
    codec = FrameCodec(versions: versions, authentication: authentication)
    for peer in peers where peer != id {
      links[peer] = ServerLink(from: id, to: peer, limits: limits, versions: versions, at: now)
    }
  }

  var deadline: Int64? { links.values.compactMap(\.deadline).min() }

  var counters: LinkCounters {
    links.values.reduce(into: LinkCounters()) { $0 += $1.counters }
  }

  func version(with peer: ServerID) -> UInt8? { links[peer]?.version }

  mutating func send(_ message: [UInt8], to peer: ServerID, at now: Int64) {
    links[peer]?.send(message, at: now, into: &actions)
    note(peer)
  }

  mutating func receive(_ bytes: [UInt8], at now: Int64) {
    guard let frame = try? codec.decode(bytes), frame.receiver == id else {
      refusedFrames += 1
      return
    }
    switch frame.content {
    case .beat: break
    case .greeting(let numbers, let versions):
      links[frame.sender]?.receive(greeting: numbers, versions, at: now, into: &actions)
    case .data(let numbers, let version, let data):
      links[frame.sender]?.receive(data, numbers, version: version, at: now, into: &actions)
    }
    note(frame.sender)
  }

  mutating func turn(at now: Int64) -> [(receiver: ServerID?, bytes: [UInt8])] {
    for peer in links.keys.sorted() {
      guard let deadline = links[peer]?.deadline, deadline <= now else { continue }
      links[peer]?.flush(at: now, into: &actions)
      note(peer)
    }
    defer { outbox = [] }
    return outbox
  }

  mutating func takeEvents() -> [(peer: ServerID, event: LinkAction)] {
    defer { events = [] }
    return events
  }

  private var outbox: [(receiver: ServerID?, bytes: [UInt8])] = []

  private mutating func note(_ peer: ServerID) {
    for action in actions {
      switch action {
      case .transmit(let frame):
        let bytes = codec.encode(frame)
        frameSizes = 0...max(frameSizes.upperBound, bytes.count)
        outbox.append((peer, bytes))
      case .deliver, .reset: events.append((peer, action))
      }
    }
    actions.removeAll(keepingCapacity: true)
  }
}
