import CSendRing
import Glibc
import Reactor

/// Sends to many sockets by one system call, where the kernel has io_uring and lets this process
/// use it.
///
/// Used by the thread that made it, and no other.
final class SendRing {
  /// The largest number of sends that share a system call.
  private static let capacity = 128

  private let ring: OpaquePointer
  private let requests = UnsafeMutablePointer<send_request>.allocate(capacity: SendRing.capacity)
  private var count = 0
  /// Whether the kernel has failed it: then it makes each send by itself, and is better given up.
  private(set) var isBroken = false

  /// Makes a ring; `nil` where there can be none.
  init?() {
    guard let ring = send_ring_open(UInt32(Self.capacity)) else { return nil }
    self.ring = ring
  }

  deinit {
    send_ring_close(ring)
    requests.deallocate()
  }

  var isFull: Bool { count == Self.capacity }

  /// Adds a send to those that ``perform(_:)`` makes; there must be room.
  ///
  /// - Parameters:
  ///   - bytes: Less than 4 GiB; must stay as they are until then.
  ///   - tag: What its outcome is reported under.
  func add(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, tag: UInt32) {
    precondition(count < Self.capacity, "the ring is full")
    requests[count] = send_request(
      bytes: bytes.baseAddress, descriptor: descriptor, length: UInt32(bytes.count), tag: tag,
      result: 0)
    count += 1
  }

  /// Makes all sends that were added, none of which waits, and reports the outcome of each.
  func perform(
    _ report: (_ tag: UInt32, _ bytes: UnsafeRawBufferPointer, _ outcome: TransferOutcome) -> Void
  ) {
    guard count > 0 else { return }
    let performed = count
    count = 0
    // A test that plays the kernel sees each send by itself.
    if isBroken || Kernel.isReplaced {
      for index in 0..<performed { requests[index].result = SEND_NOT_TRIED }
    } else {
      isBroken = send_ring_perform(ring, requests, UInt32(performed)) != 0
    }
    for index in 0..<performed {
      let request = requests[index]
      let bytes = UnsafeRawBufferPointer(start: request.bytes, count: Int(request.length))
      report(request.tag, bytes, Self.outcome(of: request, bytes))
    }
  }

  private static func outcome(
    of request: send_request, _ bytes: UnsafeRawBufferPointer
  ) -> TransferOutcome {
    switch request.result {
    case SEND_NOT_TRIED, -EINTR: Socket.send(request.descriptor, bytes)
    case -EAGAIN: .wouldBlock
    case ..<0: .failed(-request.result)
    default: .transferred(Int(request.result))
    }
  }
}
