import Glibc
import TestSupport
import Testing

@testable import Reactor

@Suite("Kernel", .onOwnThreads)
struct KernelTests {
  @Test("a script applies to its own thread, and only while it runs")
  func isConfined() throws {
    let kernel = ScriptedKernel { $0.kind == .eventfd ? .fail(EMFILE) : .pass }
    kernel.run {
      #expect(throws: SystemError(call: "eventfd", code: EMFILE)) { try Mailbox<Int>() }
    }
    _ = try Mailbox<Int>()
    #expect(kernel.count(of: .eventfd) == 1)
  }

  @Test("a thread inherits the kernel of the thread that starts it")
  func isInherited() throws {
    let kernel = ScriptedKernel { $0.kind == .eventfd ? .fail(ENFILE) : .pass }
    let thread = try kernel.run {
      try Thread(name: "heir") {
        #expect(throws: SystemError(call: "eventfd", code: ENFILE)) { try Mailbox<Int>() }
      }
    }
    thread.join()
    #expect(kernel.count(of: .eventfd) == 1)
  }

  @Test("a script within a script passes its calls to the outer one")
  func nests() throws {
    let (outer, inner) = (ScriptedKernel(), ScriptedKernel())
    try outer.run {
      try inner.run { _ = try Mailbox<Int>() }
      _ = try Mailbox<Int>()
    }
    #expect(inner.count(of: .eventfd) == 1)
    #expect(outer.count(of: .eventfd) == 1)
    #expect(inner.openDescriptors.isEmpty && outer.openDescriptors.isEmpty)
  }

  @Test("a call that a signal interrupts is repeated")
  func repeatsInterruptedCalls() throws {
    let pair = try ConnectedPair()
    let kernel = ScriptedKernel {
      [.send, .recv].contains($0.kind) && $0.number < 3 ? .fail(EINTR) : .pass
    }
    kernel.run {
      #expect(send(pair.client, [1, 2]) == .transferred(2))
      pair.awaitReadable(pair.server)
      #expect(receive(pair.server, limit: 8).bytes == [1, 2])
    }
    #expect(kernel.count(of: .send) == 4)
    #expect(kernel.count(of: .recv) == 4)
  }

  @Test("short transfers are reported with the number of bytes moved")
  func reportsShortTransfers() throws {
    let pair = try ConnectedPair()
    let kernel = ScriptedKernel { _ in .atMost(3) }
    kernel.run {
      #expect(send(pair.client, [1, 2, 3, 4, 5]) == .transferred(3))
      pair.awaitReadable(pair.server)
      #expect(receive(pair.server, limit: 8).bytes == [1, 2, 3])
    }
  }

  @Test("a connect that a signal interrupts continues")
  func connectsThroughSignals() throws {
    let address = try #require(SocketAddress(host: "127.0.0.1", port: 0))
    let listener = try Socket.listen(on: address)
    defer { Socket.close(listener) }
    let bound = try SocketAddress(boundTo: listener)
    let kernel = ScriptedKernel { $0.kind == .connect ? .fail(EINTR) : .pass }
    let descriptor = try kernel.run { try Socket.connect(to: bound) }
    #expect(kernel.openDescriptors == [descriptor])
    kernel.run { Socket.close(descriptor) }
    #expect(kernel.openDescriptors.isEmpty)
  }

  @Test("whichever call of listening or connecting fails, its descriptor is closed")
  func leaksNothing() throws {
    let address = try #require(SocketAddress(host: "127.0.0.1", port: 0))
    let local = LocalEnd(address: address, receiveBufferBytes: 4096)
    for kind in [SystemCall.socket, .setsockopt, .bind, .listen, .connect] {
      for number in 0..<4 {
        let kernel = ScriptedKernel {
          $0.kind == kind && $0.number == number ? .fail(ENOBUFS) : .pass
        }
        kernel.run {
          if let (descriptor, bound) = try? Socket.listenFirst(on: address) {
            if let client = try? Socket.connect(to: bound, from: local) { Socket.close(client) }
            if let (again, _) = try? Socket.listenFirst(on: bound) { Socket.close(again) }
            Socket.close(descriptor)
          }
        }
        #expect(kernel.openDescriptors.isEmpty, "call \(number) of \(kind)")
      }
    }
  }

  @Test("connections that break off before they are accepted are skipped")
  func acceptsTheNext() throws {
    let address = try #require(SocketAddress(host: "127.0.0.1", port: 0))
    let listener = try Socket.listen(on: address)
    defer { Socket.close(listener) }
    let client = try Socket.connect(to: SocketAddress(boundTo: listener))
    defer { Socket.close(client) }
    try Deadline.standard.wait(for: "a connection", on: listener)
    let errors: [Int32] = [ECONNABORTED, EINTR, ENETDOWN, EPROTO]
    let kernel = ScriptedKernel {
      $0.kind == .accept && $0.number < errors.count ? .fail(errors[$0.number]) : .pass
    }
    kernel.run {
      let accepted = try? Socket.accept(listener)
      #expect(accepted != nil)
      if let accepted { Socket.close(accepted) }
    }
    #expect(kernel.count(of: .accept) == errors.count + 1)
    #expect(kernel.openDescriptors.isEmpty)
  }

  @Test("a wait that a signal ends is a turn without events")
  func waitsAgain() throws {
    let kernel = ScriptedKernel { $0.kind == .epollWait && $0.number < 3 ? .fail(EINTR) : .pass }
    try kernel.run {
      let loop = try EventLoop()
      let mailbox = try Mailbox<Int>()
      let receiver = Receiver(loop)
      _ = try loop.register(mailbox.descriptor, for: .readable, handler: receiver)
      mailbox.post(1)
      loop.run()
      #expect(receiver.count == 1)
    }
    #expect(kernel.count(of: .epollWait) == 4)
    #expect(kernel.openDescriptors.isEmpty)
  }

  @Test("a descriptor that can't be watched takes no slot in the loop")
  func givesUpItsPlace() throws {
    let kernel = ScriptedKernel { $0.kind == .epollAdd && $0.number == 0 ? .fail(ENOSPC) : .pass }
    try kernel.run {
      let loop = try EventLoop()
      let mailbox = try Mailbox<Int>()
      let receiver = Receiver(loop)
      #expect(throws: SystemError(call: "epoll_ctl", code: ENOSPC)) {
        try loop.register(mailbox.descriptor, for: .readable, handler: receiver)
      }
      _ = try loop.register(mailbox.descriptor, for: .readable, handler: receiver)
      mailbox.post(1)
      loop.run()
      #expect(receiver.count == 1)
    }
  }

  @Test("the wake-up of a mailbox survives signals")
  func wakesThroughSignals() throws {
    let kernel = ScriptedKernel { $0.kind == .write && $0.number < 2 ? .fail(EINTR) : .pass }
    try kernel.run {
      let mailbox = try Mailbox<Int>()
      mailbox.post(1)
      var target = pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)
      #expect(poll(&target, 1, 0) == 1)
    }
  }

  @Test("a disk fills up, and a sync fails, when a script says so")
  func fillsDisks() throws {
    let path = "/tmp/parley-kernel-tests-\(UInt64.random(in: 0...UInt64.max))"
    let kernel = ScriptedKernel {
      switch ($0.kind, $0.turn) {
      case (.write, 0): .atMost(3)
      case (.write, _): .fail(ENOSPC)
      case (.fsync, _): .fail(EIO)
      default: .pass
      }
    }
    kernel.run {
      let file = Kernel.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      #expect(file >= 0)
      let bytes: [UInt8] = [1, 2, 3, 4, 5]
      #expect(Kernel.write(file, bytes, 5) == 3)
      // Read at once: whatever runs in between may change errno.
      let written = (Kernel.write(file, bytes, 2), errno)
      #expect(written == (-1, ENOSPC))
      let synchronized = (Kernel.synchronize(file), errno)
      #expect(synchronized == (-1, EIO))
      Kernel.close(file)
      #expect(Kernel.unlink(path) == 0)
    }
    #expect(kernel.openDescriptors.isEmpty)
  }

  @Test("a file is closed whichever call on it fails, and errors name the call")
  func filesFail() throws {
    let path = "/proc/self/exe"
    let kernel = ScriptedKernel { $0.kind == .open ? .fail(EMFILE) : .pass }
    kernel.run {
      #expect(throws: SystemError(call: "open", code: EMFILE, object: path)) {
        try OpenFile(readingFrom: path)
      }
    }
    kernel.play { $0.kind == .pread ? .fail($0.number == 0 ? EINTR : EIO) : .pass }
    kernel.run {
      #expect(throws: SystemError(call: "pread", code: EIO)) {
        var span = FileSpan(try OpenFile(readingFrom: "/etc/passwd"), 0..<10)
        _ = try span.next(atMost: 10)
      }
    }
    #expect(kernel.openDescriptors.isEmpty)
  }
}

private final class Receiver: ReadinessHandler {
  // The loop holds its handlers.
  private unowned let loop: EventLoop
  private(set) var count = 0

  init(_ loop: EventLoop) { self.loop = loop }

  func descriptorIsReady(for readiness: Readiness) {
    count += 1
    loop.stop()
  }
}
