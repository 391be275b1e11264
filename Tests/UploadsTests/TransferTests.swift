import TestSupport
import Testing

@testable import Uploads

struct TransferTests {
  @Test
  func `A whole body completes the upload`() {
    var world = TransferWorld()
    let run = TransferRun(
      TransferRequest(.whole, length: 100),
      [Array(TransferWorld.source[..<60]), Array(TransferWorld.source[60...])],
      in: &world)
    #expect(world.file == TransferWorld.source)
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
    var world = TransferWorld(offset: 40)
    let first = TransferRun(
      TransferRequest(.piece(at: 40), length: 20), [Array(TransferWorld.source[40..<60])],
      in: &world)
    #expect(first.answers == [.progress(60)] && world.record?.claimedUntil == 0)
    let last = TransferRun(
      TransferRequest(.piece(at: 60), length: nil), [Array(TransferWorld.source[60...])], in: &world
    )
    guard case .complete(_, .now)? = last.answers.first else {
      Issue.record("\(last.answers)")
      return
    }
    #expect(world.file == TransferWorld.source)
  }

  @Test
  func `An empty piece changes nothing`() {
    var world = TransferWorld(offset: 40)
    let run = TransferRun(TransferRequest(.piece(at: 40), length: 0), [], in: &world)
    #expect(run.answers == [.progress(40)] && world.record?.offset == 40)
    #expect(world.record?.term == 0, "it was claimed")
  }

  @Test
  func `An empty piece completes an upload that has all its bytes`() {
    var world = TransferWorld(offset: 100)
    let run = TransferRun(TransferRequest(.piece(at: 100), length: 0), [], in: &world)
    guard case .complete(_, .now)? = run.answers.first else {
      Issue.record("\(run.answers)")
      return
    }
    #expect(world.isKept)
  }

  @Test
  func `An empty piece with a checksum is compared`() {
    var world = TransferWorld(offset: 40)
    let request = TransferRequest(.piece(at: 40), length: 0, checksum: TransferWorld.checksum)
    let run = TransferRun(request, [], in: &world, matchesDigest: false)
    #expect(run.answers == [.refused(.checksum)])
  }

  @Test
  func `A request that comes too fast is refused`() {
    var world = TransferWorld(offset: 40)
    var run = TransferRun(TransferRequest(.piece(at: 40), length: 20))
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
    var world = TransferWorld()
    _ = TransferRun(
      TransferRequest(.whole, length: 100), [Array(TransferWorld.source[..<33])], in: &world,
      end: .bodyCut)
    #expect(world.record?.offset == 33 && world.record?.claimedUntil == 0)
    let rest = TransferRun(
      TransferRequest(.piece(at: 33), length: 67), [Array(TransferWorld.source[33...])], in: &world)
    #expect(rest.answers.count == 1 && world.file == TransferWorld.source && world.isKept)
  }

  @Test
  func `A body that is cut before the upload is found leaves what came`() {
    var world = TransferWorld()
    var run = TransferRun(TransferRequest(.whole, length: 100))
    run.send(.begun, in: &world)
    run.receive(Array(TransferWorld.source[..<33]), in: &world)
    run.send(.bodyCut, in: &world)
    run.settle(in: &world)
    #expect(world.record?.offset == 33 && world.record?.claimedUntil == 0)
    #expect(run.transfer.hasEnded)
  }

  @Test
  func `A chunked body that is too short is refused, and kept`() {
    var world = TransferWorld()
    let run = TransferRun(
      TransferRequest(.whole, length: nil), [Array(TransferWorld.source[..<33])], in: &world)
    #expect(run.answers == [.refused(.incomplete(expected: 100, received: 33))])
    #expect(world.record?.offset == 33)
  }

  @Test
  func `A chunked body that is too long is refused, and what came before is kept`() {
    var world = TransferWorld()
    let run = TransferRun(
      TransferRequest(.whole, length: nil),
      [Array(TransferWorld.source[..<90]), Array(TransferWorld.source[..<11])],
      in: &world)
    #expect(run.answers == [.refused(.tooLarge(100))])
    #expect(world.record?.offset == 90 && !world.isKept)
  }

  @Test
  func `A piece whose first bytes are too many leaves nothing`() {
    var world = TransferWorld(offset: 95)
    var run = TransferRun(TransferRequest(.piece(at: 95), length: nil))
    run.send(.begun, in: &world)
    run.receive(Array(TransferWorld.source[..<6]), in: &world)
    run.settle(in: &world)
    #expect(run.answers == [.refused(.tooLarge(100))])
    #expect(world.record?.offset == 95 && world.file.count == 95)
  }

  @Test
  func `A body that finds no more room keeps what came, and is refused`() {
    var world = TransferWorld()
    var run = TransferRun(TransferRequest(.whole, length: 100))
    run.send(.begun, in: &world)
    run.settle(in: &world)
    run.receive(Array(TransferWorld.source[..<60]), in: &world)
    run.send(.noRoom, in: &world)
    run.settle(in: &world)
    #expect(run.answers == [.refused(.full)] && run.transfer.hasEnded)
    #expect(world.record?.offset == 60 && world.record?.claimedUntil == 0)
  }

  @Test
  func `A body that finds no room before the file is open leaves nothing`() {
    var world = TransferWorld(offset: 40)
    var run = TransferRun(TransferRequest(.piece(at: 40), length: 20))
    run.send(.begun, in: &world)
    run.receive(Array(TransferWorld.source[40..<50]), in: &world)
    while run.transfer.upload?.term != 1, run.step(in: &world) {}
    run.send(.noRoom, in: &world)
    run.settle(in: &world)
    #expect(run.answers == [.refused(.full)] && world.record?.offset == 40)
  }

  @Test
  func `A piece with another checksum is dropped`() {
    let checksum = UploadChecksum(.sha1, digest: [UInt8](repeating: 0, count: 20))
    var world = TransferWorld(offset: 40)
    let request = TransferRequest(.piece(at: 40), length: 20, checksum: checksum)
    let refused = TransferRun(
      request, [Array(TransferWorld.source[..<20])], in: &world, matchesDigest: false)
    #expect(refused.answers == [.refused(.checksum)])
    #expect(world.record?.offset == 40 && world.file == Array(TransferWorld.source[..<40]))
    let cut = TransferRun(
      request, [Array(TransferWorld.source[40..<50])], in: &world, end: .bodyCut)
    #expect(cut.answers == [.progress(40)] && world.file.count == 40)
    let taken = TransferRun(request, [Array(TransferWorld.source[40..<60])], in: &world)
    #expect(taken.answers == [.progress(60)])
  }

  @Test
  func `A full disk leaves what was recorded`() {
    var world = TransferWorld(offset: 40)
    var run = TransferRun(beginning: TransferRequest(.piece(at: 40), length: 20), in: &world)
    run.receive(Array(TransferWorld.source[40..<60]), in: &world)
    run.pending = [.failed(.full), .failed(.full)]
    run.settle(in: &world)
    #expect(run.answers == [.refused(.full)])
    #expect(world.record?.offset == 40 && world.record?.claimedUntil == 0)
  }

  @Test
  func `A file that lost bytes puts the client back`() {
    var world = TransferWorld(offset: 40)
    world.file.removeLast(15)
    let run = TransferRun(TransferRequest(.piece(at: 40), length: 20), [], in: &world)
    #expect(run.answers == [.refused(.offset(25))] && world.record?.offset == 25)
  }

  @Test
  func `No more is read than the file takes`() {
    var world = TransferWorld(size: 10_000_000)
    var run = TransferRun(beginning: TransferRequest(.whole, length: nil), in: &world)
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
    var world = TransferWorld()
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
      var run = TransferRun(request)
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
          run.receive(Array(TransferWorld.source[place..<place + count]), in: &world)
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
      #expect(world.file[..<offset].elementsEqual(TransferWorld.source[..<offset]))
      if world.isKept { #expect(world.file == TransferWorld.source) }
    }
  }
}
