import Cluster

/// Two ends of a link, 1 ms apart, in a time of the test's own.
struct LinkPair {
  enum End {
    case a
    case b
  }

  private(set) var a: ServerLink
  private(set) var b: ServerLink
  private(set) var now: Int64 = 0
  /// Messages that arrived at B.
  private(set) var atB: [[UInt8]] = []
  /// Resets at either end.
  private(set) var resets = 0
  private(set) var frameCount = 0
  private(set) var longestFrame = 0
  /// The versions of data frames.
  private(set) var versionsSeen: Set<UInt8> = []
  /// All frames that were sent.
  private(set) var recorded: [(to: End, Frame.Content)] = []
  /// Loses all frames.
  var isCut = false
  /// Frames that are lost next.
  var lose = 0

  private var underWay: [(time: Int64, to: End, content: Frame.Content)] = []
  private let codecs: (FrameCodec, FrameCodec)

  init(
    _ limits: LinkLimits, _ versionsOfA: LinkVersions = .current,
    _ versionsOfB: LinkVersions = .current
  ) {
    let ids = (ServerID(rawValue: 1), ServerID(rawValue: 2))
    a = ServerLink(from: ids.0, to: ids.1, limits: limits, versions: versionsOfA, at: 0)
    b = ServerLink(from: ids.1, to: ids.0, limits: limits, versions: versionsOfB, at: 0)
    codecs = (FrameCodec(versions: versionsOfA), FrameCodec(versions: versionsOfB))
  }

  /// Sends a message from A to B.
  mutating func send(_ message: [UInt8]) {
    var actions: [LinkAction] = []
    a.send(message, at: now, into: &actions)
    carryOut(actions, at: .a)
  }

  /// Gives an end a frame that the other did not send now.
  mutating func inject(_ frame: (to: End, content: Frame.Content)) {
    deliver(frame.content, to: frame.to)
  }

  mutating func pass(until end: Int64) {
    while now < end {
      var actions: [LinkAction] = []
      if let deadline = a.deadline, deadline <= now { a.flush(at: now, into: &actions) }
      carryOut(actions, at: .a)
      actions = []
      if let deadline = b.deadline, deadline <= now { b.flush(at: now, into: &actions) }
      carryOut(actions, at: .b)
      let next = [a.deadline, b.deadline, underWay.first?.time].compactMap(\.self).min() ?? end
      now = min(end, max(now + 1, next))
      while let frame = underWay.first, frame.time <= now {
        underWay.removeFirst()
        deliver(frame.content, to: frame.to)
      }
    }
  }

  private mutating func deliver(_ content: Frame.Content, to end: End) {
    var actions: [LinkAction] = []
    switch (content, end) {
    case (.greeting(let numbers, let versions), .a):
      a.receive(greeting: numbers, versions, at: now, into: &actions)
    case (.greeting(let numbers, let versions), .b):
      b.receive(greeting: numbers, versions, at: now, into: &actions)
    case (.data(let numbers, let version, let data), .a):
      a.receive(data, numbers, version: version, at: now, into: &actions)
    case (.data(let numbers, let version, let data), .b):
      b.receive(data, numbers, version: version, at: now, into: &actions)
    case (.beat, _): break
    }
    carryOut(actions, at: end)
  }

  private mutating func carryOut(_ actions: [LinkAction], at end: End) {
    for action in actions {
      switch action {
      case .transmit(let frame): transmit(frame, from: end)
      case .deliver(let message): if end == .b { atB.append(message) }
      case .reset: resets += 1
      }
    }
  }

  private mutating func transmit(_ frame: Frame, from end: End) {
    frameCount += 1
    let bytes = (end == .a ? codecs.0 : codecs.1).encode(frame)
    longestFrame = max(longestFrame, bytes.count)
    let to = end == .a ? End.b : .a
    recorded.append((to, frame.content))
    guard !isCut else { return }
    guard lose == 0 else { return lose -= 1 }
    // An end decodes only what its versions allow.
    guard let read = try? (to == .a ? codecs.0 : codecs.1).decode(bytes) else { return }
    if case .data(_, let version, _) = read.content { versionsSeen.insert(version) }
    underWay.append((now + 1, to, read.content))
  }
}
