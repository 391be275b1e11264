import TestSupport
import Testing

@testable import Uploads

/// A store, a file and a client around transfers, in a time of their own.
private struct World {
  var record: UploadRecord?
  /// Bytes of the file, as their places in the source.
  var file: [UInt8] = []
  /// The bytes of the file that are on disk.
  var durable = 0
  var isKept = false
  var now: Int64 = 1_000
  /// The largest offset that a client was told, since the last whole body began.
  var told: Int64 = 0

  var moment: TransferMoment { TransferMoment(unix: now, steady: now) }
}

/// A transfer with a body, whose host works off one action at a time.
private struct Run {
  var transfer: Transfer
  var actions: [TransferAction] = []
  /// What the host does later: writes and the answers of store and disk.
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

  mutating func send(_ input: TransferInput, in world: inout World) {
    transfer.handle(input, at: world.moment, into: &actions)
    while !actions.isEmpty { carryOut(actions.removeFirst(), in: &world) }
  }

  mutating func receive(_ piece: [UInt8], in world: inout World) {
    lastPiece = piece
    send(.received(piece.count), in: &world)
  }

  private mutating func carryOut(_ action: TransferAction, in world: inout World) {
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
  mutating func step(in world: inout World) -> Bool {
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
      .cancelled, .failed, .storeFailed:
      break
    }
    send(input, in: &world)
    return true
  }

  mutating func settle(in world: inout World) {
    while step(in: &world) {}
  }
}

struct TransferTests {
  private static let source = (0..<100).map { UInt8($0) }

  private func world(offset: Int64 = 0, size: Int64 = 100) -> World {
    var world = World()
    world.record = UploadRecord(
      fileID: "f", userID: "u", name: "n", type: "", size: size, offset: offset, createdAt: 0,
      expiresAt: .max)
    world.file = Array(Self.source[..<Int(offset)])
    return world
  }

  private func run(
    _ request: TransferRequest, _ pieces: [[UInt8]], in world: inout World,
    end: TransferInput = .bodyEnded, matchesDigest: Bool = true
  ) -> Run {
    var run = Run(request)
    run.matchesDigest = matchesDigest
    run.send(.begun, in: &world)
    run.settle(in: &world)
    for piece in pieces {
      run.receive(piece, in: &world)
      run.settle(in: &world)
    }
    run.send(end, in: &world)
    run.settle(in: &world)
    return run
  }

  @Test
  func `A whole body completes the upload`() {
    var world = world()
    let run = run(
      TransferRequest(.whole, length: 100), [Array(Self.source[..<60]), Array(Self.source[60...])],
      in: &world)
    #expect(world.file == Self.source)
    #expect(world.isKept && world.record?.stage == .complete)
    guard case .complete(let record, .now) = run.answers.first else {
      Issue.record("\(run.answers)")
      return
    }
    #expect(record.offset == 100 && run.answers.count == 1 && run.transfer.hasEnded)
    #expect(record.expiresAt == 9_000)
  }

  @Test
  func `A piece moves the offset, and the last one completes`() {
    var world = world(offset: 40)
    let first = run(
      TransferRequest(.piece(at: 40), length: 20), [Array(Self.source[40..<60])], in: &world)
    #expect(first.answers == [.progress(60)] && world.record?.claimedUntil == 0)
    let last = run(
      TransferRequest(.piece(at: 60), length: nil), [Array(Self.source[60...])], in: &world)
    guard case .complete(_, .now)? = last.answers.first else {
      Issue.record("\(last.answers)")
      return
    }
    #expect(world.file == Self.source)
  }

  @Test
  func `An empty piece changes nothing`() {
    var world = world(offset: 40)
    let run = run(TransferRequest(.piece(at: 40), length: 0), [], in: &world)
    #expect(run.answers == [.progress(40)] && world.record?.offset == 40)
    #expect(world.record?.term == 0, "it was claimed")
  }

  @Test
  func `An empty piece completes an upload that has all its bytes`() {
    var world = world(offset: 100)
    let run = run(TransferRequest(.piece(at: 100), length: 0), [], in: &world)
    guard case .complete(_, .now)? = run.answers.first else {
      Issue.record("\(run.answers)")
      return
    }
    #expect(world.isKept)
  }

  @Test
  func `An empty piece with a checksum is compared`() {
    var world = world(offset: 40)
    let request = TransferRequest(.piece(at: 40), length: 0, checksum: Self.checksum)
    let run = run(request, [], in: &world, matchesDigest: false)
    #expect(run.answers == [.refused(.checksum)])
  }

  @Test
  func `A request that comes too fast is refused`() {
    var world = world(offset: 40)
    var run = Run(TransferRequest(.piece(at: 40), length: 20))
    run.send(.begun, in: &world)
    while run.pending.allSatisfy({ if case .claimed = $0 { false } else { true } }) {
      _ = run.step(in: &world)
    }
    run.pending = []
    run.send(.tooFast(retryAfter: 20), in: &world)
    #expect(run.answers == [.refused(.tooFast(retryAfter: 20))] && run.transfer.hasEnded)
  }

  @Test
  func `A body that is cut leaves what came`() {
    var world = world()
    _ = run(
      TransferRequest(.whole, length: 100), [Array(Self.source[..<33])], in: &world, end: .bodyCut)
    #expect(world.record?.offset == 33 && world.record?.claimedUntil == 0)
    let rest = run(
      TransferRequest(.piece(at: 33), length: 67), [Array(Self.source[33...])], in: &world)
    #expect(rest.answers.count == 1 && world.file == Self.source && world.isKept)
  }

  @Test
  func `A body that is cut before the upload is found leaves what came`() {
    var world = world()
    var run = Run(TransferRequest(.whole, length: 100))
    run.send(.begun, in: &world)
    run.receive(Array(Self.source[..<33]), in: &world)
    run.send(.bodyCut, in: &world)
    run.settle(in: &world)
    #expect(world.record?.offset == 33 && world.record?.claimedUntil == 0)
    #expect(run.transfer.hasEnded)
  }

  @Test
  func `A chunked body that is too short is refused, and kept`() {
    var world = world()
    let run = run(
      TransferRequest(.whole, length: nil), [Array(Self.source[..<33])], in: &world)
    #expect(run.answers == [.refused(.incomplete(expected: 100, received: 33))])
    #expect(world.record?.offset == 33)
  }

  @Test
  func `A chunked body that is too long is refused, and what came before is kept`() {
    var world = world()
    let run = run(
      TransferRequest(.whole, length: nil), [Array(Self.source[..<90]), Array(Self.source[..<11])],
      in: &world)
    #expect(run.answers == [.refused(.tooLarge(100))])
    #expect(world.record?.offset == 90 && !world.isKept)
  }

  @Test
  func `A piece whose first bytes are too many leaves nothing`() {
    var world = world(offset: 95)
    var run = Run(TransferRequest(.piece(at: 95), length: nil))
    run.send(.begun, in: &world)
    run.receive(Array(Self.source[..<6]), in: &world)
    run.settle(in: &world)
    #expect(run.answers == [.refused(.tooLarge(100))])
    #expect(world.record?.offset == 95 && world.file.count == 95)
  }

  @Test
  func `A piece with another checksum is dropped`() {
    let checksum = UploadChecksum(.sha1, digest: [UInt8](repeating: 0, count: 20))
    var world = world(offset: 40)
    let request = TransferRequest(.piece(at: 40), length: 20, checksum: checksum)
    let refused = run(
      request, [Array(Self.source[..<20])], in: &world, matchesDigest: false)
    #expect(refused.answers == [.refused(.checksum)])
    #expect(world.record?.offset == 40 && world.file == Array(Self.source[..<40]))
    let cut = run(request, [Array(Self.source[40..<50])], in: &world, end: .bodyCut)
    #expect(cut.answers == [.progress(40)] && world.file.count == 40)
    let taken = run(request, [Array(Self.source[40..<60])], in: &world)
    #expect(taken.answers == [.progress(60)])
  }

  @Test
  func `An upload that is cancelled in the middle is gone`() {
    var world = world()
    var run = Run(TransferRequest(.whole, length: 100))
    run.send(.begun, in: &world)
    run.settle(in: &world)
    run.receive(Array(Self.source[..<50]), in: &world)
    world.record?.stage = .cancelled
    run.send(.cancelled, in: &world)
    run.settle(in: &world)
    #expect(run.answers == [.refused(.gone)] && !run.isOpen && run.transfer.hasEnded)
    #expect(world.record?.offset == 0 && !world.isKept)
  }

  @Test
  func `A claim that another server took over ends the request`() {
    var world = world()
    var run = Run(TransferRequest(.whole, length: 100))
    run.send(.begun, in: &world)
    run.settle(in: &world)
    world.record?.term += 1
    run.receive(Self.source, in: &world)
    run.send(.bodyEnded, in: &world)
    run.settle(in: &world)
    #expect(run.answers == [.refused(.gone)] && !world.isKept)
  }

  /// Lets time pass as a host does.
  private func pass(_ milliseconds: Int64, _ run: inout Run, in world: inout World) {
    let end = world.now + milliseconds
    while world.now < end {
      world.now += min(Transfer.tickInterval, end - world.now)
      run.send(.ticked, in: &world)
      run.settle(in: &world)
    }
  }

  private static let checksum = UploadChecksum(.sha1, digest: [UInt8](repeating: 0, count: 20))

  @Test
  func `A slow piece with a checksum keeps its claim`() {
    var world = world()
    var run = Run(TransferRequest(.piece(at: 0), length: 100, checksum: Self.checksum))
    run.send(.begun, in: &world)
    run.settle(in: &world)
    run.receive(Array(Self.source[..<50]), in: &world)
    pass(5 * Transfer.claimTime, &run, in: &world)
    let second = TransferRequest(.piece(at: 0), length: 100)
    #expect(world.record?.admission(of: second, at: world.now) == .refused(.locked))
    run.receive(Array(Self.source[50...]), in: &world)
    run.send(.bodyEnded, in: &world)
    run.settle(in: &world)
    #expect(world.isKept && world.file == Self.source)
  }

  @Test
  func `A file that takes long to complete keeps its claim`() {
    var world = world()
    var run = Run(TransferRequest(.whole, length: 100))
    run.send(.begun, in: &world)
    run.settle(in: &world)
    run.receive(Self.source, in: &world)
    run.send(.bodyEnded, in: &world)
    _ = run.step(in: &world)
    #expect(run.pending.contains { if case .completed = $0 { true } else { false } })
    run.pending = []
    pass(5 * Transfer.claimTime, &run, in: &world)
    let second = TransferRequest(.whole, length: 100)
    #expect(world.record?.admission(of: second, at: world.now) == .refused(.locked))
    run.send(.completed, in: &world)
    run.settle(in: &world)
    #expect(world.record?.stage == .complete)
  }

  @Test
  func `A claim that is not prolonged in time ends the request`() {
    var world = world()
    var run = Run(TransferRequest(.whole, length: 100))
    run.send(.begun, in: &world)
    run.settle(in: &world)
    for _ in 0..<6 {
      #expect(run.answers.isEmpty)
      world.now += Transfer.tickInterval
      run.send(.ticked, in: &world)
      // The store does not answer.
      run.pending = []
    }
    #expect(run.answers == [.refused(.storage)] && run.transfer.hasEnded && !run.isOpen)
  }

  @Test(arguments: [true, false])
  func `A piece whose claim was taken over leaves the file to its successor`(_ isCut: Bool) {
    var world = world(offset: 40)
    var run = Run(TransferRequest(.piece(at: 40), length: 20, checksum: Self.checksum))
    run.matchesDigest = false
    run.send(.begun, in: &world)
    run.settle(in: &world)
    run.receive(Array(Self.source[40..<60]), in: &world)
    run.settle(in: &world)
    world.record?.term += 1
    world.file = Array(Self.source[..<90])
    run.send(isCut ? .bodyCut : .bodyEnded, in: &world)
    run.settle(in: &world)
    #expect(world.file.count == 90 && run.answers == [.refused(.gone)] && !run.isOpen)
  }

  @Test
  func `A failure during a record leaves the upload where the record says`() {
    var world = world()
    var run = Run(TransferRequest(.whole, length: 100))
    run.send(.begun, in: &world)
    run.settle(in: &world)
    world.now += TransferCheckpoint.interval
    run.receive(Array(Self.source[..<20]), in: &world)
    while world.record?.offset == 0 { _ = run.step(in: &world) }
    #expect(!run.pending.isEmpty && run.answers.isEmpty)
    run.send(.failed(.full), in: &world)
    #expect(run.answers.isEmpty && !run.transfer.hasEnded)
    run.settle(in: &world)
    #expect(run.answers == [.refused(.full)])
    #expect(world.record?.offset == 20 && world.record?.claimedUntil == 0)
  }

  @Test
  func `A record that changes while it is claimed is looked at again`() {
    var world = world(offset: 40)
    var run = Run(TransferRequest(.piece(at: 40), length: 10))
    run.send(.begun, in: &world)
    world.record?.offset = 50
    _ = run.step(in: &world)
    run.settle(in: &world)
    #expect(run.answers == [.refused(.offset(50))])
  }

  @Test
  func `A full disk leaves what was recorded`() {
    var world = world(offset: 40)
    var run = Run(TransferRequest(.piece(at: 40), length: 20))
    run.send(.begun, in: &world)
    run.settle(in: &world)
    run.receive(Array(Self.source[40..<60]), in: &world)
    run.pending = [.failed(.full), .failed(.full)]
    run.settle(in: &world)
    #expect(run.answers == [.refused(.full)])
    #expect(world.record?.offset == 40 && world.record?.claimedUntil == 0)
  }

  @Test
  func `A file that lost bytes puts the client back`() {
    var world = world(offset: 40)
    world.file.removeLast(15)
    let run = run(TransferRequest(.piece(at: 40), length: 20), [], in: &world)
    #expect(run.answers == [.refused(.offset(25))] && world.record?.offset == 25)
  }

  @Test
  func `What comes is recorded from time to time`() {
    var world = world()
    var run = Run(TransferRequest(.whole, length: 100))
    run.send(.begun, in: &world)
    run.settle(in: &world)
    run.receive(Array(Self.source[..<10]), in: &world)
    run.settle(in: &world)
    #expect(world.record?.offset == 0)
    world.now += TransferCheckpoint.interval
    run.receive(Array(Self.source[10..<20]), in: &world)
    run.settle(in: &world)
    #expect(world.record?.offset == 20)
  }

  @Test
  func `The end is not recorded before the file is complete`() {
    var world = world()
    var run = Run(TransferRequest(.whole, length: 100))
    run.send(.begun, in: &world)
    run.settle(in: &world)
    world.now += TransferCheckpoint.interval
    run.receive(Array(Self.source[..<60]), in: &world)
    _ = run.step(in: &world)
    run.receive(Array(Self.source[60...]), in: &world)
    // The disk has taken all that came; its answer about the last bytes is late.
    run.pending = [.written(40)]
    run.send(.synchronized(at: 100), in: &world)
    #expect(run.pending.count == 1 && world.record?.offset == 0)
    run.send(.bodyEnded, in: &world)
    run.settle(in: &world)
    #expect(world.record?.stage == .complete)
  }

  @Test
  func `No more is read than the file takes`() {
    var world = world(size: 10_000_000)
    var run = Run(TransferRequest(.whole, length: nil))
    run.send(.begun, in: &world)
    run.settle(in: &world)
    #expect(!run.transfer.pausesBody)
    for _ in 0..<9 { run.receive([UInt8](repeating: 0, count: 65_536), in: &world) }
    #expect(run.transfer.pausesBody)
    run.settle(in: &world)
    #expect(!run.transfer.pausesBody)
  }

  /// Random bodies, cuts, cancellations, losses of claims and power; what was told is never lost but
  /// by a whole body that begins anew, and a complete file is the source.
  @Test(arguments: 0..<300 as Range<UInt64>)
  func `Requests of any kind leave a true prefix`(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var world = world()
    for _ in 0..<12 {
      guard let record = world.record, record.stage == .open else { break }
      world.now += 40_000
      let isWhole = Bool.random(using: &generator)
      let start = isWhole ? 0 : record.offset
      let length = isWhole ? 100 : Int64.random(in: 0...(100 - start), using: &generator)
      let hasChecksum = Int.random(in: 0..<4, using: &generator) == 0
      let request = TransferRequest(
        isWhole ? .whole : .piece(at: start),
        length: Bool.random(using: &generator) ? length : nil,
        checksum: hasChecksum ? UploadChecksum(.sha1, digest: []) : nil)
      var run = Run(request)
      run.matchesDigest = Int.random(in: 0..<3, using: &generator) > 0
      if isWhole { world.told = 0 }
      run.send(.begun, in: &world)
      var place = Int(start)
      let end = Int(start + length)
      var isCut = false
      while !run.transfer.hasEnded, !isCut, place < end {
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<5:
          let count = Int.random(in: 1...min(20, end - place), using: &generator)
          run.receive(Array(Self.source[place..<place + count]), in: &world)
          place += count
        case 5..<9: _ = run.step(in: &world)
        case 9:
          world.now += 1_500
          run.send(.ticked, in: &world)
        case 10 where Int.random(in: 0..<4, using: &generator) == 0: isCut = true
        default: break
        }
        if let offset = world.record?.offset { world.told = max(world.told, offset) }
      }
      // A crash of the process: nothing more is done.
      if Int.random(in: 0..<5, using: &generator) == 0 {
        if Bool.random(using: &generator) { world.file.removeSubrange(world.durable...) }
      } else {
        run.send(isCut ? .bodyCut : .bodyEnded, in: &world)
        run.settle(in: &world)
        // A body that is cut before anything came needs no answer.
        #expect(run.transfer.hasEnded && run.answers.count == (isCut ? run.answers.count : 1))
      }
      let offset = Int(world.record?.offset ?? 0)
      #expect(world.file.count >= offset && (offset < 100 || world.record?.stage == .complete))
      #expect(world.file[..<offset].elementsEqual(Self.source[..<offset]))
      if world.isKept { #expect(world.file == Self.source) }
    }
  }
}
