package import Reactor
import Synchronization

/// The real kernel, with failures and short transfers where a test wants them.
///
/// Keeps an account of the descriptors that went through it, so that a test sees what leaks.
package final class ScriptedKernel: KernelScript {
  /// A system call that is about to be made.
  package struct Call: Sendable {
    package let kind: SystemCall
    package let descriptor: Int32
    /// The most bytes that it may move.
    package let count: Int
    /// Its place among the calls of its kind since the script was set, from 0.
    package let number: Int
    /// Its place among those of them on the same descriptor, from 0.
    package let turn: Int
  }

  /// The outcome of a call.
  package enum Answer: Sendable {
    /// The real call's outcome.
    case pass
    /// The real call's outcome, with at most this many bytes.
    case atMost(Int)
    /// A failure with this `errno`; no real call is made.
    case fail(Int32)
    /// This result; no real call is made.
    case give(Int)
  }

  package typealias Script = @Sendable (Call) -> Answer

  private struct State {
    var script: Script
    var numbers: [SystemCall: Int] = [:]
    var turns: [Int32: [SystemCall: Int]] = [:]
    /// By descriptor, the call that made it.
    var open: [Int32: SystemCall] = [:]
  }

  private let state: Mutex<State>

  package init(_ script: @escaping Script = { _ in .pass }) {
    state = Mutex(State(script: script))
  }

  /// Sets another script; calls are counted anew.
  package func play(_ script: @escaping Script) {
    state.withLock {
      $0.script = script
      $0.numbers = [:]
      $0.turns = [:]
    }
  }

  /// Runs `body` on this kernel, on this thread and those that it starts.
  @discardableResult
  package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    try Kernel.replaced(by: self, body)
  }

  /// The descriptors that were made on this kernel and not closed on it.
  package var openDescriptors: Set<Int32> { state.withLock { Set($0.open.keys) } }

  /// Those of them that are connected sockets, or may be.
  package var openSockets: Set<Int32> {
    state.withLock { Set($0.open.filter { [.socket, .accept].contains($0.value) }.keys) }
  }

  /// How many calls of a kind were made since the script was set.
  package func count(of kind: SystemCall) -> Int { state.withLock { $0.numbers[kind] ?? 0 } }

  /// Counts a socket that was made elsewhere, such as half of a socket pair.
  package func adopt(_ descriptor: Int32) {
    state.withLock { $0.open[descriptor] = .socket }
  }

  package func perform(
    _ kind: SystemCall, on descriptor: Int32, count: Int, _ body: (_ count: Int) -> Int
  ) -> Int {
    switch answer(to: kind, descriptor, count) {
    case .pass: note(kind, descriptor, count, body)
    case .atMost(let limit): note(kind, descriptor, min(limit, count), body)
    case .fail(let code): fail(kind, descriptor, count, code, body)
    case .give(let result): result
    }
  }

  private func answer(to kind: SystemCall, _ descriptor: Int32, _ count: Int) -> Answer {
    let (script, call) = state.withLock { state in
      let number = state.numbers[kind] ?? 0
      let turn = state.turns[descriptor]?[kind] ?? 0
      state.numbers[kind] = number + 1
      state.turns[descriptor, default: [:]][kind] = turn + 1
      let call = Call(
        kind: kind, descriptor: descriptor, count: count, number: number, turn: turn)
      return (state.script, call)
    }
    return script(call)
  }

  private func fail(
    _ kind: SystemCall, _ descriptor: Int32, _ count: Int, _ code: Int32, _ body: (Int) -> Int
  ) -> Int {
    // Linux closes a descriptor whatever it reports.
    if kind == .close { _ = note(kind, descriptor, count, body) }
    return -Int(code)
  }

  private func note(
    _ kind: SystemCall, _ descriptor: Int32, _ count: Int, _ body: (Int) -> Int
  ) -> Int {
    // Before the number can be another thread's descriptor.
    if kind == .close { _ = state.withLock { $0.open.removeValue(forKey: descriptor) } }
    let result = body(count)
    if result >= 0, kind.makesDescriptor {
      state.withLock { $0.open[Int32(result)] = kind }
    }
    return result
  }
}

extension SystemCall {
  /// Whether its result is a new descriptor.
  fileprivate var makesDescriptor: Bool {
    switch self {
    case .socket, .accept, .epollCreate, .eventfd, .timerfd, .open: true
    case .bind, .listen, .connect, .setsockopt, .getsockopt, .shutdown, .recv, .send, .sendfile,
      .epollAdd, .epollModify, .epollDelete, .epollWait, .close, .read, .write, .pread, .ftruncate,
      .fsync, .writeBack, .flock, .rename, .unlink, .mkdir:
      false
    }
  }
}
