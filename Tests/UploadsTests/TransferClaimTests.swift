import Testing

@testable import Uploads

/// The claim of a request that writes, and the records of its progress.
struct TransferClaimTests {
  @Test
  func `An upload that is cancelled in the middle is gone`() {
    var world = TransferWorld()
    var run = TransferRun(beginning: TransferRequest(.whole, length: 100), in: &world)
    run.receive(Array(TransferWorld.source[..<50]), in: &world)
    world.record?.stage = .cancelled
    run.send(.cancelled, in: &world)
    run.settle(in: &world)
    #expect(run.answers == [.refused(.gone)] && !run.isOpen && run.transfer.hasEnded)
    #expect(world.record?.offset == 0 && !world.isKept)
  }

  @Test
  func `A claim that another server took over ends the request`() {
    var world = TransferWorld()
    var run = TransferRun(beginning: TransferRequest(.whole, length: 100), in: &world)
    world.record?.term += 1
    run.receive(TransferWorld.source, in: &world)
    run.send(.bodyEnded, in: &world)
    run.settle(in: &world)
    #expect(run.answers == [.refused(.gone)] && !world.isKept)
  }

  @Test
  func `A slow piece with a checksum keeps its claim`() {
    var world = TransferWorld()
    var run = TransferRun(
      TransferRequest(.piece(at: 0), length: 100, checksum: TransferWorld.checksum))
    run.send(.begun, in: &world)
    run.settle(in: &world)
    run.receive(Array(TransferWorld.source[..<50]), in: &world)
    run.pass(5 * Transfer.claimTime, in: &world)
    let second = TransferRequest(.piece(at: 0), length: 100)
    #expect(world.record?.admission(of: second, at: world.now) == .refused(.locked))
    run.receive(Array(TransferWorld.source[50...]), in: &world)
    run.send(.bodyEnded, in: &world)
    run.settle(in: &world)
    #expect(world.isKept && world.file == TransferWorld.source)
  }

  @Test
  func `A file that takes long to complete keeps its claim`() {
    var world = TransferWorld()
    var run = TransferRun(beginning: TransferRequest(.whole, length: 100), in: &world)
    run.receive(TransferWorld.source, in: &world)
    run.send(.bodyEnded, in: &world)
    _ = run.step(in: &world)
    #expect(run.pending.contains { if case .completed = $0 { true } else { false } })
    run.pending = []
    run.pass(5 * Transfer.claimTime, in: &world)
    let second = TransferRequest(.whole, length: 100)
    #expect(world.record?.admission(of: second, at: world.now) == .refused(.locked))
    run.send(.completed, in: &world)
    run.settle(in: &world)
    #expect(world.record?.stage == .complete)
  }

  @Test
  func `A claim that is not prolonged in time ends the request`() {
    var world = TransferWorld()
    var run = TransferRun(beginning: TransferRequest(.whole, length: 100), in: &world)
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
    var world = TransferWorld(offset: 40)
    var run = TransferRun(
      TransferRequest(.piece(at: 40), length: 20, checksum: TransferWorld.checksum))
    run.matchesDigest = false
    run.send(.begun, in: &world)
    run.settle(in: &world)
    run.receive(Array(TransferWorld.source[40..<60]), in: &world)
    run.settle(in: &world)
    world.record?.term += 1
    world.file = Array(TransferWorld.source[..<90])
    run.send(isCut ? .bodyCut : .bodyEnded, in: &world)
    run.settle(in: &world)
    #expect(world.file.count == 90 && run.answers == [.refused(.gone)] && !run.isOpen)
  }

  @Test
  func `A failure during a record leaves the upload where the record says`() {
    var world = TransferWorld()
    var run = TransferRun(beginning: TransferRequest(.whole, length: 100), in: &world)
    world.now += TransferCheckpoint.interval
    run.receive(Array(TransferWorld.source[..<20]), in: &world)
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
    var world = TransferWorld(offset: 40)
    var run = TransferRun(TransferRequest(.piece(at: 40), length: 10))
    run.send(.begun, in: &world)
    world.record?.offset = 50
    _ = run.step(in: &world)
    run.settle(in: &world)
    #expect(run.answers == [.refused(.offset(50))])
  }

  @Test
  func `What comes is recorded from time to time`() {
    var world = TransferWorld()
    var run = TransferRun(beginning: TransferRequest(.whole, length: 100), in: &world)
    run.receive(Array(TransferWorld.source[..<10]), in: &world)
    run.settle(in: &world)
    #expect(world.record?.offset == 0)
    world.now += TransferCheckpoint.interval
    run.receive(Array(TransferWorld.source[10..<20]), in: &world)
    run.settle(in: &world)
    #expect(world.record?.offset == 20)
  }

  @Test
  func `The end is not recorded before the file is complete`() {
    var world = TransferWorld()
    var run = TransferRun(beginning: TransferRequest(.whole, length: 100), in: &world)
    world.now += TransferCheckpoint.interval
    run.receive(Array(TransferWorld.source[..<60]), in: &world)
    _ = run.step(in: &world)
    run.receive(Array(TransferWorld.source[60...]), in: &world)
    // The disk has taken all that came; its answer about the last bytes is late.
    run.pending = [.written(40)]
    run.send(.synchronized(at: 100), in: &world)
    #expect(run.pending.count == 1 && world.record?.offset == 0)
    run.send(.bodyEnded, in: &world)
    run.settle(in: &world)
    #expect(world.record?.stage == .complete)
  }
}
