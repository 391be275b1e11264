import Glibc
import TestSupport
import Testing

@testable import Reactor

@Suite("Event loop", .onOwnThreads)
struct EventLoopTests {
  @Test("a handler is called while its descriptor is readable, until it has read")
  func tellsReadability() throws {
    let loop = try EventLoop()
    let pipe = try PipePair()
    pipe.write(2)
    let reader = Reader { reader in
      pipe.read(atMost: 1)
      if reader.calls == 2 { loop.stop() }
    }
    _ = try loop.register(pipe.reading, for: .readable, handler: reader)
    loop.run()
    #expect(reader.calls == 2)
    #expect(reader.last == .readable)
  }

  @Test("a precise wait ends once, not before its time, and the next can begin then")
  func waitsPrecisely() throws {
    let loop = try EventLoop()
    let begin = SystemClock.monotonicNanoseconds
    var ends: [Int64] = []
    try loop.wait(nanoseconds: 3_000_000) {
      ends.append(SystemClock.monotonicNanoseconds)
      #expect(throws: Never.self) {
        try loop.wait(nanoseconds: -1) {
          ends.append(SystemClock.monotonicNanoseconds)
          loop.stop()
        }
      }
    }
    loop.run()
    #expect(ends.count == 2)
    #expect(ends.allSatisfy { $0 >= begin + 3_000_000 })
  }

  @Test("a writable descriptor is reported only on request")
  func changesInterest() throws {
    let loop = try EventLoop()
    let pipe = try PipePair()
    let writer = Reader { _ in loop.stop() }
    let registration = try loop.register(pipe.writing, for: [], handler: writer)
    let timer = TimerAction {
      #expect(writer.calls == 0)
      #expect(throws: Never.self) { try loop.update(registration, for: .writable) }
    }
    _ = loop.schedule(after: 0, timer)
    loop.run()
    #expect(writer.last == .writable)
  }

  @Test("a handler that was deregistered in the same turn is not called")
  func forgetsWithinATurn() throws {
    let loop = try EventLoop()
    let pipes = [try PipePair(), try PipePair()]
    for pipe in pipes { pipe.write(1) }
    var registrations: [EventLoop.Registration] = []
    let reader = Reader { _ in
      for registration in registrations { loop.deregister(registration) }
      loop.stop()
    }
    registrations = try pipes.map {
      try loop.register($0.reading, for: .readable, handler: reader)
    }
    loop.run()
    #expect(reader.calls == 1)
  }

  @Test("an old registration has no effect on its successor in the same slot")
  func tellsSuccessorsApart() throws {
    let loop = try EventLoop()
    let pipe = try PipePair()
    let first = Reader { _ in }
    let second = Reader { _ in loop.stop() }
    let old = try loop.register(pipe.reading, for: .readable, handler: first)
    loop.deregister(old)
    _ = try loop.register(pipe.reading, for: .readable, handler: second)
    loop.deregister(old)
    try loop.update(old, for: [])
    pipe.write(1)
    loop.run()
    #expect(first.calls == 0)
    #expect(second.calls == 1)
  }

  @Test("a descriptor that is not open can't be watched, and takes no slot")
  func refusesClosedDescriptors() throws {
    let loop = try EventLoop()
    let reader = Reader { _ in loop.stop() }
    #expect(throws: SystemError(call: "epoll_ctl", code: EBADF)) {
      try loop.register(-1, for: .readable, handler: reader)
    }
    let pipe = try PipePair()
    pipe.write(1)
    _ = try loop.register(pipe.reading, for: .readable, handler: reader)
    loop.run()
    #expect(reader.calls == 1)
  }

  @Test("timers fire in order, and a cancelled one does not fire")
  func runsTimers() throws {
    let loop = try EventLoop()
    var fired: [String] = []
    let last = TimerAction {
      fired.append("last")
      loop.stop()
    }
    let cancelled = TimerAction { fired.append("cancelled") }
    let first = TimerAction { fired.append("first") }
    _ = loop.schedule(after: 90, last)
    let token = loop.schedule(after: 50, cancelled)
    _ = loop.schedule(after: -5, first)
    loop.cancel(token)
    loop.run()
    #expect(fired == ["first", "last"])
  }

  @Test("a timer with the largest deadline is scheduled like any other")
  func schedulesTheEndOfTime() throws {
    let loop = try EventLoop()
    let never = TimerAction { Issue.record("the end of time has come") }
    let soon = TimerAction { loop.stop() }
    _ = loop.schedule(after: .max, never)
    _ = loop.schedule(after: 1, soon)
    loop.run()
  }

  @Test("a loop that has ended releases its handlers, which may call it while released")
  func letsGo() throws {
    final class Holder: ReadinessHandler, TimerHandler {
      let loop: EventLoop
      var registration: EventLoop.Registration?
      var timer: EventLoop.TimerToken?
      init(_ loop: EventLoop) { self.loop = loop }
      deinit {
        if let registration { loop.deregister(registration) }
        if let timer { loop.cancel(timer) }
      }
      func descriptorIsReady(for readiness: Readiness) { loop.stop() }
      func timerDidFire(_ token: EventLoop.TimerToken) {}
    }
    let pipe = try PipePair()
    pipe.write(1)
    weak var holder: Holder?
    try {
      let made = Holder(try EventLoop())
      holder = made
      made.registration = try made.loop.register(pipe.reading, for: .readable, handler: made)
      made.timer = made.loop.schedule(after: 1_000_000, made)
      made.loop.endOfTurn = { [made] in made.registration == nil ? .idle : .idle }
      made.loop.run()
    }()
    #expect(holder == nil)
  }

  @Test("an unfinished turn is followed by the next without waiting")
  func takesTurns() throws {
    let loop = try EventLoop()
    var turns = 0
    loop.endOfTurn = {
      turns += 1
      if turns == 100 { loop.stop() }
      return .unfinished
    }
    loop.run()
    #expect(turns == 100)
  }

  @Test("a post from another thread wakes a sleeping loop")
  func wakes() throws {
    let loop = try EventLoop()
    let mailbox = try Mailbox<Int>()
    var received: [Int] = []
    let reader = Reader { _ in mailbox.acknowledge() }
    _ = try loop.register(mailbox.descriptor, for: .readable, handler: reader)
    loop.endOfTurn = {
      received += mailbox.takeAll(reusing: [])
      if received.count == 3 { loop.stop() }
      return .idle
    }
    let thread = try Reactor.Thread(name: "poster") {
      for number in 1...3 { mailbox.post(number) }
    }
    loop.run()
    thread.join()
    #expect(received == [1, 2, 3])
  }
}

private final class Reader: ReadinessHandler {
  private(set) var calls = 0
  private(set) var last: Readiness = []
  private let action: (Reader) -> Void

  init(_ action: @escaping (Reader) -> Void) {
    self.action = action
  }

  func descriptorIsReady(for readiness: Readiness) {
    calls += 1
    last = readiness
    action(self)
  }
}

private final class TimerAction: TimerHandler {
  private let action: () -> Void

  init(_ action: @escaping () -> Void) {
    self.action = action
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    action()
  }
}
