import Channels
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite("Lanes of readers", .onOwnThreads)
struct LanesTests {
  /// Holds every thread for queries.
  private func holdQueries(_ store: Store) throws -> Gate {
    let gate = Gate()
    let held = DispatchSemaphore(value: 0)
    let count = StoreOptions().queryReaderCount
    for number in 0..<count {
      store.query(for: .user("holder\(number)")) { _ in
        held.signal()
        gate.wait()
      } completion: { _, _ in
      }
    }
    for _ in 0..<count { try Deadline.standard.wait(for: "a query", on: held) }
    return gate
  }

  @Test("look-ups are answered while every query waits")
  func lookUpsPassQueries() async throws {
    let fixture = try await Fixture()
    let gate = try holdQueries(fixture.store)
    let waiting = Pending { answer in
      fixture.store.query(for: .user("ann")) {
        try $0.user("ann")
      } completion: { result, _ in
        answer(result)
      }
    }
    for _ in 0..<100 {
      #expect(try await fixture.store.read { try $0.user("ann") } != nil)
    }
    #expect(fixture.store.statistics.queryQueueLength == 1)
    gate.open()
    #expect(try waiting.get() != nil)
  }

  @Test("look-ups and queries are answered during a long look-up of a file")
  func filesHoldNobodyUp() async throws {
    let fixture = try await Fixture()
    let gate = Gate()
    let held = DispatchSemaphore(value: 0)
    let holder = Pending { answer in
      fixture.store.lookUpInTurn(for: .user("ann")) { _ in
        held.signal()
        gate.wait()
      } completion: { result, _ in
        answer(result)
      }
    }
    try Deadline.standard.wait(for: "the look-up", on: held)
    for _ in 0..<100 {
      #expect(try await fixture.store.read { try $0.user("ann") } != nil)
      #expect(try await fixture.store.query { try $0.user("ann") } != nil)
    }
    gate.open()
    _ = try holder.get()
  }

  @Test("the query of a new principal overtakes another's waiting queries")
  func queriesTakeTurns() async throws {
    let fixture = try await Fixture()
    let gate = try holdQueries(fixture.store)
    let order = Mutex<[String]>([])
    let all = (0..<21).map { number in
      let name = number < 20 ? "busy" : "new"
      return Pending { answer in
        fixture.store.query(for: .user(name)) { _ in
          order.withLock { $0.append(name) }
        } completion: { result, _ in
          answer(result)
        }
      }
    }
    gate.open()
    for pending in all { try pending.get() }
    let place = order.withLock { $0.firstIndex(of: "new") }
    #expect((place ?? 99) <= 3)
  }

  @Test("queries of one principal beyond its limit are refused, and those of others are not")
  func boundsEachPrincipal() async throws {
    var options = StoreOptions()
    options.queryCapacityPerPrincipal = 2
    let fixture = try await Fixture(options: options)
    let gate = try holdQueries(fixture.store)
    func submit(_ name: String) -> Pending<Void> {
      Pending { answer in
        fixture.store.query(for: .user(name)) { _ in
        } completion: { result, _ in
          answer(result)
        }
      }
    }
    let accepted = [submit("ann"), submit("ann"), submit("bob")]
    let refused = submit("ann")
    #expect(throws: StoreError.tooManyQueries(limit: 2)) { try refused.get() }
    gate.open()
    for pending in accepted { try pending.get() }
  }

  @Test("waiting queries fail when the store closes")
  func closes() async throws {
    let fixture = try await Fixture()
    let gate = try holdQueries(fixture.store)
    let waiting = Pending { answer in
      fixture.store.query(for: .server) { _ in
      } completion: { result, _ in
        answer(result)
      }
    }
    let closing = Pending<Void> { answer in
      let store = fixture.store
      DispatchQueue.global().async {
        store.close()
        answer(.success(()))
      }
    }
    #expect(throws: StoreError.closed) { try waiting.get() }
    gate.open()
    try closing.get()
  }

  @Test("a prompt write overtakes waiting writes")
  func promptWrites() async throws {
    let fixture = try await Fixture()
    let gate = fixture.store.holdWriter()
    let order = Mutex<[Int]>([])
    let ordinary = (1...5).map { number in
      fixture.store.pendingWrite { _ in order.withLock { $0.append(number) } }
    }
    let prompt = Pending<Void> { answer in
      fixture.store.writePromptly({ _ in order.withLock { $0.append(0) } }, completion: answer)
    }
    gate.open()
    try prompt.get()
    for pending in ordinary { try pending.get() }
    #expect(order.withLock { $0 } == [0, 1, 2, 3, 4, 5])
  }
}
