@testable import Uploads

/// A store, a file and a client around transfers, in a time of their own.
struct TransferWorld {
  var record: UploadRecord?
  /// Bytes of the file, as their places in the source.
  var file: [UInt8] = []
  /// The bytes of the file that are on disk.
  var durable = 0
  var isKept = false
  var now: Int64 = 1_000
  /// The largest offset that a client was told, since the last whole body began.
  var told: Int64 = 0

  static let source = (0..<100).map { UInt8($0) }
  static let checksum = UploadChecksum(.sha1, digest: [UInt8](repeating: 0, count: 20))

  init(offset: Int64 = 0, size: Int64 = 100) {
    record = UploadRecord(
      fileID: "f", userID: "u", name: "n", type: "", size: size, offset: offset, createdAt: 0,
      expiresAt: .max)
    file = Array(Self.source[..<Int(offset)])
  }

  var moment: TransferMoment { TransferMoment(unix: now, steady: now) }
}

/// A transfer with a body, whose host works off one action at a time.
struct TransferRun {
  var transfer: Transfer
  var actions: [TransferAction] = []
  /// Inputs that the host gives later: writes, and the answers of store and disk.
  var pending: [TransferInput] = []
  var kept: [[UInt8]] = []
  var lastPiece: [UInt8] = []
  var answers: [TransferAnswer] = []
  var term: Int64 = 0
  var base = 0
  var isOpen = false
  var unwritten: [[UInt8]] = []
  var matchesDigest = true

  init(_ request: TransferRequest) {
    transfer = Transfer(request)
  }

  /// Makes a request up to the body.
  init(beginning request: TransferRequest, in world: inout TransferWorld) {
    self.init(request)
    send(.begun, in: &world)
    settle(in: &world)
  }

  /// Makes a whole request.
  init(
    _ request: TransferRequest, _ pieces: [[UInt8]], in world: inout TransferWorld,
    end: TransferInput = .bodyEnded, matchesDigest: Bool = true
  ) {
    self.init(request)
    self.matchesDigest = matchesDigest
    send(.begun, in: &world)
    settle(in: &world)
    for piece in pieces {
      receive(piece, in: &world)
      settle(in: &world)
    }
    send(end, in: &world)
    settle(in: &world)
  }

  mutating func send(_ input: TransferInput, in world: inout TransferWorld) {
    transfer.handle(input, at: world.moment, into: &actions)
    while !actions.isEmpty { carryOut(actions.removeFirst(), in: &world) }
  }

  mutating func receive(_ piece: [UInt8], in world: inout TransferWorld) {
    lastPiece = piece
    send(.received(piece.count), in: &world)
  }

  private mutating func carryOut(_ action: TransferAction, in world: inout TransferWorld) {
    switch action {
    case .find: pending.append(.found(world.record))
    case .claim(let found, let offset):
      guard var record = world.record, record == found else { return pending.append(.claimTaken) }
      record.term += 1
      record.claimedUntil = world.now + Transfer.claimTime
      if offset < record.offset { world.told = 0 }
      record.offset = offset
      world.record = record
      term = record.term
      pending.append(.claimed(term: term))
    case .open(_, let offset):
      guard world.file.count >= Int(offset) else {
        return pending.append(.failed(.shrunk(to: Int64(world.file.count))))
      }
      world.file.removeSubrange(Int(offset)...)
      world.durable = min(world.durable, Int(offset))
      base = Int(offset)
      isOpen = true
      pending.append(.opened)
    case .keep: kept.append(lastPiece)
    case .writeKept:
      write(kept.flatMap(\.self))
      kept = []
    case .write: write(lastPiece)
    case .resume: break
    case .verify: pending.append(.digest(matches: matchesDigest))
    case .drop(let offset):
      world.file.removeSubrange(Int(offset)...)
      pending.append(.dropped)
    case .synchronize: pending.append(.synchronized(at: 0))
    case .record(let offset, let end):
      guard world.record?.term == term, world.record?.stage == .open else {
        return pending.append(.lost)
      }
      world.record?.offset = offset
      world.record?.claimedUntil = end == .last ? 0 : world.now + Transfer.claimTime
      pending.append(.recorded(offset))
    case .renew:
      let holds = world.record?.term == term && world.record?.stage == .open
      if holds { world.record?.claimedUntil = world.now + Transfer.claimTime }
      pending.append(.renewed(holds))
    case .complete:
      world.isKept = true
      pending.append(.completed)
    case .finish:
      guard world.record?.term == term, world.record?.stage == .open else {
        world.isKept = false
        return pending.append(.lost)
      }
      world.record?.stage = .complete
      world.record?.offset = Int64(world.file.count)
      world.record?.expiresAt = 9_000
      pending.append(.finished(expiresAt: 9_000))
    case .close: isOpen = false
    case .answer(let answer): answers.append(answer)
    }
  }

  private mutating func write(_ bytes: [UInt8]) {
    unwritten.append(bytes)
    pending.append(.written(bytes.count))
  }

  /// Has the host do the next thing that it owes.
  mutating func step(in world: inout TransferWorld) -> Bool {
    guard !pending.isEmpty else { return false }
    var input = pending.removeFirst()
    switch input {
    case .written:
      if world.record?.term == term { world.file += unwritten.removeFirst() }
    case .synchronized:
      // The disk works in order, and may be ahead of its answers.
      world.durable = world.file.count
      input = .synchronized(at: Int64(world.durable))
    case .begun, .found, .claimed, .claimTaken, .noRoom, .tooFast, .opened, .received, .bodyEnded,
      .bodyCut, .digest, .dropped, .recorded, .ticked, .renewed, .completed, .finished, .lost,
      .cancelled, .failed, .storeFailed, .keysFailed:
      break
    }
    send(input, in: &world)
    return true
  }

  mutating func settle(in world: inout TransferWorld) {
    while step(in: &world) {}
  }

  /// Lets time pass as a host does.
  mutating func pass(_ milliseconds: Int64, in world: inout TransferWorld) {
    let end = world.now + milliseconds
    while world.now < end {
      world.now += min(Transfer.tickInterval, end - world.now)
      send(.ticked, in: &world)
      settle(in: &world)
    }
  }
}
