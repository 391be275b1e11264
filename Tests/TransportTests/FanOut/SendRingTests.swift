import Glibc
import Reactor
import TestSupport
import Testing

@testable import Transport

/// Where the kernel or a policy forbids io_uring, there is no ring to be tested.
@Suite("Ring of sends", .enabled(if: SendRing() != nil))
struct SendRingTests {
  @Test("every socket gets its own bytes, whole and in order, whatever the number of sends")
  func sendsToMany() throws {
    let ring = try #require(SendRing())
    let pairs = try (0..<20).map { _ in try ConnectedPair() }
    for round in 0..<10 {
      let texts = pairs.indices.map { Array("\(round) for \($0)".utf8) }
      var outcomes: [UInt32: TransferOutcome] = [:]
      withPointers(to: texts) { pointers in
        for (index, bytes) in pointers.enumerated() {
          ring.add(pairs[index].server, bytes, tag: UInt32(index))
        }
        ring.perform { tag, bytes, outcome in
          #expect(bytes.elementsEqual(texts[Int(tag)]))
          outcomes[tag] = outcome
        }
      }
      for (index, text) in texts.enumerated() {
        #expect(outcomes[UInt32(index)] == .transferred(text.count))
        pairs[index].awaitReadable(pairs[index].client)
        #expect(receive(pairs[index].client, limit: 64).bytes == text)
      }
    }
    #expect(!ring.isBroken)
  }

  @Test("a full socket has to wait, a closed peer fails, and the others get their bytes")
  func reportsEachOutcome() throws {
    let ring = try #require(SendRing())
    let (full, gone, open) = (try ConnectedPair(), try ConnectedPair(), try ConnectedPair())
    let filling = [UInt8](repeating: 1, count: 65_536)
    while case .transferred = send(full.server, filling) {}
    Socket.shutDownWriting(gone.server)
    var outcomes: [UInt32: TransferOutcome] = [:]
    withPointers(to: [[1, 2, 3], [1, 2, 3], [1, 2, 3]]) { pointers in
      for (tag, pair) in [full, gone, open].enumerated() {
        ring.add(pair.server, pointers[tag], tag: UInt32(tag))
      }
      ring.perform { tag, _, outcome in outcomes[tag] = outcome }
    }
    #expect(outcomes == [0: .wouldBlock, 1: .failed(EPIPE), 2: .transferred(3)])
  }

  @Test("a socket accepts part of a send that is too large for it")
  func sendsAPart() throws {
    let ring = try #require(SendRing())
    let pair = try ConnectedPair()
    let large = [UInt8](repeating: 7, count: 64 << 20)
    var outcome: TransferOutcome?
    withPointers(to: [large]) { pointers in
      ring.add(pair.server, pointers[0], tag: 0)
      ring.perform { _, _, result in outcome = result }
    }
    guard case .transferred(let count) = outcome else {
      Issue.record("nothing was sent: \(String(describing: outcome))")
      return
    }
    #expect(count > 0 && count < large.count)
  }

  @Test("a ring is full at its capacity, and empty again after sending")
  func isBounded() throws {
    let ring = try #require(SendRing())
    let pair = try ConnectedPair()
    var sent = 0
    withPointers(to: [[9]]) { pointers in
      while !ring.isFull {
        ring.add(pair.server, pointers[0], tag: 0)
        sent += 1
      }
      var reports = 0
      ring.perform { _, _, _ in reports += 1 }
      #expect(reports == sent)
      #expect(!ring.isFull)
      ring.perform { _, _, _ in reports += 1 }
      #expect(reports == sent)
    }
    var received: [UInt8] = []
    while received.count < sent {
      pair.awaitReadable(pair.client)
      received += receive(pair.client, limit: 4096).bytes
    }
    #expect(received == [UInt8](repeating: 9, count: sent))
  }

  @Test("copies are sent whole, as long as they find room, which sending frees")
  func sendsCopies() throws {
    let ring = try #require(SendRing())
    let pairs = try (0..<3).map { _ in try ConnectedPair() }
    for round in 0..<3 {
      for (index, pair) in pairs.enumerated() {
        let bytes = [UInt8](repeating: UInt8(round * 3 + index), count: SendRing.copyLimit / 3)
        #expect(ring.hasRoom(forCopyOf: bytes.count))
        bytes.withUnsafeBytes { ring.add(pair.server, copyOf: $0, tag: UInt32(index)) }
      }
      #expect(!ring.hasRoom(forCopyOf: 2))
      var outcomes: [UInt32: TransferOutcome] = [:]
      ring.perform { tag, _, outcome in outcomes[tag] = outcome }
      for (index, pair) in pairs.enumerated() {
        #expect(outcomes[UInt32(index)] == .transferred(SendRing.copyLimit / 3))
        var received: [UInt8] = []
        while received.count < SendRing.copyLimit / 3 {
          pair.awaitReadable(pair.client)
          received += receive(pair.client, limit: 65_536).bytes
        }
        let expected = [UInt8](repeating: UInt8(round * 3 + index), count: received.count)
        #expect(received == expected && received.count == SendRing.copyLimit / 3)
      }
    }
  }

  @Test("a ring makes each send individually on a scripted kernel")
  func obeys() throws {
    let ring = try #require(SendRing())
    let pair = try ConnectedPair()
    let kernel = ScriptedKernel { $0.kind == .send ? .atMost(2) : .pass }
    let bytes: [UInt8] = [1, 2, 3, 4]
    kernel.run {
      bytes.withUnsafeBytes { bytes in
        ring.add(pair.client, bytes, tag: 1)
        ring.perform { _, _, outcome in #expect(outcome == .transferred(2)) }
      }
    }
    #expect(!ring.isBroken)
  }

  private func withPointers(
    to texts: [[UInt8]], _ body: ([UnsafeRawBufferPointer]) -> Void
  ) {
    let copies = texts.map { text in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
      copy.copyBytes(from: text)
      return copy
    }
    body(copies.map { UnsafeRawBufferPointer($0) })
    for copy in copies { copy.deallocate() }
  }
}
