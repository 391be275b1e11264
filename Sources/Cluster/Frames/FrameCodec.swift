/// The reason why bytes from the bus are not a frame.
package enum FrameError: Error, Sendable, Equatable {
  case truncated
  /// More bytes follow the frame.
  case excessive
  /// An unknown kind of frame, or an unsupported version.
  case otherVersion
  /// A value that no server would send.
  case invalidValue
  /// The code at the end does not match the cluster's secret.
  case forged
  /// The frame of another deployment, which uses the same bus and the same name.
  case foreign(deployment: UInt64)
}

/// The encoding of frames; each frame has exactly one.
///
///     format     1   0 for beats and greetings, whose form never changes; else the version of data
///     kind       1   0 beat, 1 greeting, 2 data
///     deployment 8
///     sender     8
///     receiver   8   0 for all servers
///     content        by its kind
///     code      32   ``FrameAuthentication`` of all before, in a cluster with a secret
///
/// Numbers are little-endian.
package struct FrameCodec: Sendable {
  /// Bytes of a data frame without its payload and without gaps.
  package static let overhead = 26 + 16 + 24 + 1 + codeSize
  package static let codeSize = 32

  private let deployment: UInt64
  private let versions: LinkVersions
  private let authentication: (any FrameAuthentication)?

  /// - Parameter deployment: A number that all servers of one deployment share, and no others.
  package init(
    deployment: UInt64 = 0, versions: LinkVersions = .current,
    authentication: (any FrameAuthentication)? = nil
  ) {
    self.deployment = deployment
    self.versions = versions
    self.authentication = authentication
  }

  package func encode(_ frame: Frame) -> [UInt8] {
    var writer = FrameWriter(capacity: Self.overhead + frame.payloadSize)
    writer.write(frame.format)
    writer.write(frame.kind.rawValue)
    writer.write(deployment)
    writer.write(frame.sender.rawValue)
    writer.write(frame.receiver?.rawValue ?? 0)
    switch frame.content {
    case .beat(let beat):
      writer.write(beat.number)
      writer.write(beat.seesRegistry)
      writer.write(beat.canWrite)
      writer.write(beat.hasNews)
    case .greeting(let numbers, let versions):
      writer.write(numbers.sender)
      writer.write(numbers.receiver)
      writer.write(versions.lowest)
      writer.write(versions.highest)
    case .data(let numbers, _, let data):
      writer.write(numbers.sender)
      writer.write(numbers.receiver)
      writer.write(data.sequence)
      writer.write(data.sent)
      writer.write(data.confirmed)
      writer.write(UInt8(min(data.gaps.count, LinkData.gapLimit)))
      for gap in data.gaps.prefix(LinkData.gapLimit) {
        writer.write(gap.lowerBound)
        writer.write(gap.upperBound)
      }
      writer.write(data.payload)
    }
    guard let authentication else { return writer.bytes }
    return writer.bytes + authentication.code(of: writer.bytes)
  }

  /// Decodes a frame.
  package func decode(_ bytes: [UInt8]) throws(FrameError) -> Frame {
    var end = bytes.count
    if let authentication {
      end -= Self.codeSize
      guard end >= 0,
        authentication.areEqual(authentication.code(of: Array(bytes[..<end])), Array(bytes[end...]))
      else { throw .forged }
    }
    var reader = FrameReader(bytes, end: end)
    let format = try reader.read(UInt8.self)
    guard let kind = FrameKind(rawValue: try reader.read()) else { throw .otherVersion }
    let origin = try reader.read(UInt64.self)
    guard origin == deployment else { throw .foreign(deployment: origin) }
    let sender = ServerID(rawValue: try reader.read())
    let receiver = try reader.read(UInt64.self)
    let content = try content(kind, format: format, &reader)
    guard reader.isAtEnd else { throw .excessive }
    return Frame(
      sender: sender, receiver: receiver == 0 ? nil : ServerID(rawValue: receiver), content)
  }

  private func content(
    _ kind: FrameKind, format: UInt8, _ reader: inout FrameReader
  ) throws(FrameError) -> Frame.Content {
    switch kind {
    case .beat:
      guard format == 0 else { throw .otherVersion }
      return .beat(
        Beat(
          number: try reader.read(), seesRegistry: try reader.readTruth(),
          canWrite: try reader.readTruth(), hasNews: try reader.readTruth()))
    case .greeting:
      guard format == 0 else { throw .otherVersion }
      let numbers = try numbers(&reader)
      let (lowest, highest) = (try reader.read(UInt8.self), try reader.read(UInt8.self))
      guard 0 < lowest, lowest <= highest else { throw .invalidValue }
      return .greeting(numbers, LinkVersions(lowest: lowest, highest: highest))
    case .data:
      guard versions.contains(format) else { throw .otherVersion }
      return .data(try numbers(&reader), version: format, try data(&reader))
    }
  }

  private func numbers(_ reader: inout FrameReader) throws(FrameError) -> LinkNumbers {
    let numbers = LinkNumbers(sender: try reader.read(), receiver: try reader.read())
    guard numbers.sender > 0 else { throw .invalidValue }
    return numbers
  }

  private func data(_ reader: inout FrameReader) throws(FrameError) -> LinkData {
    var data = LinkData(
      sequence: try reader.read(), sent: try reader.read(), confirmed: try reader.read())
    let count = try reader.read(UInt8.self)
    guard count <= LinkData.gapLimit else { throw .invalidValue }
    for _ in 0..<count {
      let (first, last) = (try reader.read(UInt64.self), try reader.read(UInt64.self))
      guard 0 < first, first <= last else { throw .invalidValue }
      data.gaps.append(first...last)
    }
    data.payload = reader.rest()
    guard data.sequence <= data.sent, data.sequence > 0 || data.payload.isEmpty else {
      throw .invalidValue
    }
    return data
  }
}

private enum FrameKind: UInt8 {
  case beat = 0
  case greeting = 1
  case data = 2
}

extension Frame {
  fileprivate var kind: FrameKind {
    switch content {
    case .beat: .beat
    case .greeting: .greeting
    case .data: .data
    }
  }

  fileprivate var format: UInt8 {
    switch content {
    case .beat, .greeting: 0
    case .data(_, let version, _): version
    }
  }

  fileprivate var payloadSize: Int {
    switch content {
    case .beat, .greeting: 0
    case .data(_, _, let data): data.gaps.count * 16 + data.payload.count
    }
  }
}
