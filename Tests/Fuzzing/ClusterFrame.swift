@testable import Cluster

/// Reads any bytes as a frame of the cluster's bus, and drives a link with frames of any content.
///
/// What is read is written again as the very same bytes. Whatever a peer sends, the link keeps no more
/// than it may, sends no frame that is too long or that cannot be read, and ends each reset closed.
enum ClusterFrameHarness: Harness {
  static func run(_ input: [UInt8]) {
    let codec = FrameCodec(versions: LinkVersions(lowest: 1, highest: 2))
    if let frame = try? codec.decode(input) {
      precondition(codec.encode(frame) == input, "two forms of one frame")
    }
    var source = ByteSource(input)
    var model = HostileLink()
    while !source.isEmpty { model.step(&source) }
  }
}

private struct HostileLink {
  private static let limits: LinkLimits = {
    var limits = LinkLimits(frameBytes: 180)
    limits.keptBytes = 3_000
    return limits
  }()

  private let codec = FrameCodec()
  private var link = ServerLink(
    from: ServerID(rawValue: 1), to: ServerID(rawValue: 2), limits: limits, at: 0)
  private var now: Int64 = 0
  private var sequence: UInt64 = 0

  mutating func step(_ source: inout ByteSource) {
    var actions: [LinkAction] = []
    switch source.number(below: 6) {
    case 0: link.send(source.bytes(upTo: 300), at: now, into: &actions)
    case 1:
      now += Int64(source.number(below: 12_000))
      link.flush(at: now, into: &actions)
    case 2:
      let (lowest, more) = (UInt8(source.number(below: 3)) + 1, UInt8(source.number(below: 3)))
      link.receive(
        greeting: numbers(&source), LinkVersions(lowest: lowest, highest: lowest + more), at: now,
        into: &actions)
    case 3: receive(any(&source), &source, into: &actions)
    default: receive(plausible(&source), &source, into: &actions)
    }
    check(actions)
  }

  private mutating func receive(
    _ data: LinkData, _ source: inout ByteSource, into actions: inout [LinkAction]
  ) {
    let version = UInt8(source.number(below: 2)) + 1
    link.receive(data, numbers(&source), version: version, at: now, into: &actions)
  }

  private func numbers(_ source: inout ByteSource) -> LinkNumbers {
    let number = source.flag() ? 1 : UInt64(source.number(below: 5)) + 1
    return LinkNumbers(
      sender: number, receiver: source.flag() ? 1 : UInt64(source.number(below: 5)))
  }

  private func any(_ source: inout ByteSource) -> LinkData {
    let (sequence, sent) = (
      UInt64(bitPattern: source.int64()), UInt64(bitPattern: source.int64())
    )
    return LinkData(
      sequence: min(sequence, sent), sent: sent, confirmed: UInt64(bitPattern: source.int64()),
      gaps: [1...max(1, UInt64(bitPattern: source.int64()))], payload: source.bytes(upTo: 40))
  }

  /// The next frames of a stream, with holes and repetitions.
  private mutating func plausible(_ source: inout ByteSource) -> LinkData {
    sequence = sequence &+ UInt64(source.number(below: 3))
    let bytes = source.bytes(upTo: 60)
    let (goesOn, length) = (UInt8(source.number(below: 2)), UInt8(bytes.count))
    let first = UInt64(source.number(below: 30)) + 1
    return LinkData(
      sequence: sequence, sent: sequence + UInt64(source.number(below: 4)),
      confirmed: UInt64(source.number(below: 30)), gaps: [first...(first + 5)],
      payload: sequence == 0 ? [] : [goesOn, length, 0, 0, 0] + bytes)
  }

  private func check(_ actions: [LinkAction]) {
    precondition(link.keptByteCount <= 3 * 3_000, "more is kept than may be")
    for action in actions {
      switch action {
      case .transmit(let frame):
        let bytes = codec.encode(frame)
        precondition(bytes.count <= 180 + LinkData.gapLimit * 16, "a frame is too long")
        precondition((try? codec.decode(bytes)) == frame, "a frame cannot be read")
      case .deliver(let message): precondition(message.count <= 3_000, "a message is too long")
      case .reset: break
      }
    }
  }
}
