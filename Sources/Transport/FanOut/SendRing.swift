import CSendRing
import Glibc
import Reactor

/// Sends to many sockets with one system call, where the kernel supports io_uring and allows this
/// process to use it.
///
/// Used only by the thread that created it.
final class SendRing {
  /// The largest number of sends that share a system call.
  private static let capacity = 128
  /// The largest number of copied bytes: what a processor's nearest caches hold.
  static let copyLimit = 65_536

  private let ring: OpaquePointer
  private let requests = UnsafeMutablePointer<send_request>.allocate(capacity: SendRing.capacity)
  private var count = 0
  /// The bytes that are sent to one socket only, until they are sent.
  private let copies = UnsafeMutableRawBufferPointer.allocate(
    byteCount: SendRing.copyLimit, alignment: 1)
  private var copiedByteCount = 0
  /// Whether the kernel reported a failure.
  ///
  /// A broken ring sends one by one, and should be released.
  private(set) var isBroken = false

  /// Creates a ring; `nil` where io_uring is not available.
  init?() {
    guard let ring = send_ring_open(UInt32(Self.capacity)) else { return nil }
    self.ring = ring
  }

  deinit {
    send_ring_close(ring)
    requests.deallocate()
    copies.deallocate()
  }

  var isFull: Bool { count == Self.capacity }

  /// Adds a send to the next ``perform(_:)``; there must be room.
  ///
  /// - Parameters:
  ///   - bytes: Less than 4 GiB; must stay unchanged until then.
  ///   - tag: Identifies the send when its outcome is reported.
  func add(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, tag: UInt32) {
    precondition(count < Self.capacity, "the ring is full")
    requests[count] = send_request(
      bytes: bytes.baseAddress, descriptor: descriptor, length: UInt32(bytes.count), tag: tag,
      result: 0)
    count += 1
  }

  /// Whether as many bytes can be copied before the next ``perform(_:)``.
  func hasRoom(forCopyOf byteCount: Int) -> Bool {
    copiedByteCount + byteCount <= Self.copyLimit
  }

  /// Adds a send of a copy of the bytes; there must be room for it.
  func add(_ descriptor: Int32, copyOf bytes: UnsafeRawBufferPointer, tag: UInt32) {
    precondition(hasRoom(forCopyOf: bytes.count), "the ring has no room for the bytes")
    let copy = UnsafeMutableRawBufferPointer(
      rebasing: copies[copiedByteCount..<copiedByteCount + bytes.count])
    copy.copyMemory(from: bytes)
    copiedByteCount += bytes.count
    add(descriptor, UnsafeRawBufferPointer(copy), tag: tag)
  }

  /// Performs all added sends without blocking, and reports the outcome of each.
  func perform(
    _ report: (_ tag: UInt32, _ bytes: UnsafeRawBufferPointer, _ outcome: TransferOutcome) -> Void
  ) {
    guard count > 0 else { return }
    let performed = count
    (count, copiedByteCount) = (0, 0)
    // A test that replaces the kernel sees each send separately.
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
