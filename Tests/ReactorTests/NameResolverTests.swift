import Dispatch
import Synchronization
import TestPeers
import TestSupport
import Testing

@testable import Reactor

@Suite("Name resolver", .onOwnThreads)
struct NameResolverTests {
  /// Counts look-ups, and lets them wait.
  private final class Gate: Sendable {
    private let names = Mutex<[String]>([])
    private let isOpen = Mutex(false)

    var asked: [String] { names.withLock { $0 } }

    func open() {
      isOpen.withLock { $0 = true }
    }

    func pass(_ name: String) {
      names.withLock { $0.append(name) }
      try? Deadline.standard.wait(for: "the gate") { isOpen.withLock { $0 } }
    }
  }

  private let address = SocketAddress(host: "127.0.0.1", port: 1)

  private func outcome() -> NameResolver.Outcome {
    .success([address].compactMap(\.self))
  }

  @Test("concurrent requests for the same name share one look-up")
  func shared() throws {
    let gate = Gate()
    let outcome = outcome()
    let resolver = NameResolver { name, _ in
      gate.pass(name)
      return outcome
    }
    let answers = Mutex(0)
    for _ in 0..<50 {
      resolver.resolve("a.b", port: 1) { _ in answers.withLock { $0 += 1 } }
    }
    gate.open()
    try Deadline.standard.wait(for: "all answers") { answers.withLock { $0 == 50 } }
    #expect(gate.asked == ["a.b"])
  }

  @Test("a look-up that hangs does not delay the others")
  func hanging() throws {
    let gate = Gate()
    let outcome = outcome()
    let resolver = NameResolver { name, _ in
      if name == "slow" { gate.pass(name) }
      return outcome
    }
    let answers = Mutex<[String]>([])
    resolver.resolve("slow", port: 1) { _ in answers.withLock { $0.append("slow") } }
    for name in ["a", "b", "c"] {
      resolver.resolve(name, port: 1) { _ in answers.withLock { $0.append(name) } }
    }
    try Deadline.standard.wait(for: "the quick ones") { answers.withLock { $0.count == 3 } }
    gate.open()
    try Deadline.standard.wait(for: "the slow one") { answers.withLock { $0.count == 4 } }
    #expect(answers.withLock { $0.last } == "slow")
  }

  @Test("a name is looked up again the next time")
  func again() throws {
    let gate = Gate()
    gate.open()
    let outcome = outcome()
    let resolver = NameResolver { name, _ in
      gate.pass(name)
      return outcome
    }
    for count in 1...3 {
      let isDone = Mutex(false)
      resolver.resolve("a.b", port: 1) { _ in isDone.withLock { $0 = true } }
      try Deadline.standard.wait(for: "an answer") { isDone.withLock { $0 } }
      #expect(gate.asked.count == count)
    }
  }
}
