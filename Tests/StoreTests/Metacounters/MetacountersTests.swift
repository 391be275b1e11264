import SQLite
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Metacounters", .onEachDatabase, .onOwnThreads)
struct MetacountersTests {
  @Test("counters are inserted once, and read individually, some or all together")
  func inserts() async throws {
    let fixture = try await Fixture()
    let all = try await fixture.store.write { transaction in
      _ = try transaction.insertMetacounters(["a": 1], ofChannel: "lobby", .open)
      return try transaction.insertMetacounters(["b": .min, "c": .max], ofChannel: "lobby", .open)
    }
    #expect(all == ["a": 1, "b": .min, "c": .max])
    let (read, some, one) = try await fixture.store.read { transaction in
      (
        try transaction.metacounters(ofChannel: "lobby", .open),
        try transaction.metacounters(ofChannel: "lobby", .open, keys: ["a", "x"]),
        try transaction.metacounter("c", ofChannel: "lobby", .open)
      )
    }
    #expect(read == all)
    #expect(some == ["a": 1])
    #expect(one == .max)
    await #expect(throws: StoreError.keyExists("a")) {
      try await fixture.store.write {
        try $0.insertMetacounters(["d": 1, "a": 2], ofChannel: "lobby", .open)
      }
    }
    #expect(try await fixture.store.read { try $0.metacounters(ofChannel: "lobby", .open) } == all)
  }

  @Test("a counter is set, increased and decreased; a missing one is skipped or added")
  func updates() async throws {
    let fixture = try await Fixture()
    let results = try await fixture.store.write { transaction in
      _ = try transaction.insertMetacounters(["a": 10], ofChannel: "lobby", .open)
      return [
        try transaction.updateMetacounters(["a": 5, "x": 1], ofChannel: "lobby", .open),
        try transaction.updateMetacounters(["a": 7], ofChannel: "lobby", .open, .increase),
        try transaction.updateMetacounters(
          ["a": 20, "b": 3], ofChannel: "lobby", .open, .decrease, missing: .insert),
        try transaction.metacounters(ofChannel: "lobby", .open),
      ]
    }
    #expect(results == [["a": 5], ["a": 12], ["a": -8, "b": -3], ["a": -8, "b": -3]])
  }

  @Test(
    "a counter that would overflow keeps its value, and so do the others of the request",
    arguments: [
      (Int64.max, Int64(1), MetacounterMode.increase), (.min, -1, .increase),
      (.min, 1, .decrease), (0, .min, .decrease),
    ])
  func refusesOverflow(value: Int64, number: Int64, change: MetacounterMode) async throws {
    let fixture = try await Fixture()
    let counters = ["a": value, "b": 0]
    try await fixture.store.write {
      _ = try $0.insertMetacounters(counters, ofChannel: "lobby", .open)
    }
    await #expect(throws: StoreError.counterOverflow(key: "a")) {
      try await fixture.store.write {
        try $0.updateMetacounters(["a": number, "b": 1], ofChannel: "lobby", .open, change)
      }
    }
    #expect(
      try await fixture.store.read { try $0.metacounters(ofChannel: "lobby", .open) } == counters)
  }

  @Test("no increase is lost, whatever else is written in between")
  func addsUp() async throws {
    let fixture = try await Fixture()
    for id in Int64(1)...300 {
      fixture.store.write({
        _ = try $0.updateMetacounters(
          ["likes": 2], ofChannel: "lobby", .open, .increase, missing: .insert)
      }) { _ in }
      fixture.store.append(fixture.message(id)) { _ in }
    }
    fixture.store.close()
    let store = try Store(fixture.place)
    #expect(try await store.read { try $0.metacounter("likes", ofChannel: "lobby", .open) } == 600)
    store.close()
  }

  @Test("a 26th counter and an overlong key are refused")
  func bounds() async throws {
    let fixture = try await Fixture()
    let counters = Dictionary(uniqueKeysWithValues: (0..<25).map { ("\($0)", Int64($0)) })
    try await fixture.store.write {
      _ = try $0.insertMetacounters(counters, ofChannel: "lobby", .open)
    }
    let long = String(repeating: "k", count: 129)
    for (key, error) in [
      ("new", StoreError.tooManyItems(limit: 25)), (long, .tooLong(key: long, limit: 128)),
    ] {
      await #expect(throws: error) {
        try await fixture.store.write {
          try $0.updateMetacounters(["1": 9, key: 1], ofChannel: "lobby", .open, missing: .insert)
        }
      }
    }
    #expect(
      try await fixture.store.read { try $0.metacounters(ofChannel: "lobby", .open) } == counters)
  }

  @Test("one counter or all are removed, and they are deleted with the channel")
  func removes() async throws {
    let fixture = try await Fixture()
    let rest = try await fixture.store.write { transaction in
      _ = try transaction.insertMetacounters(["a": 1, "b": 2, "c": 3], ofChannel: "lobby", .open)
      try transaction.removeMetacounter("a", ofChannel: "lobby", .open)
      return try transaction.metacounters(ofChannel: "lobby", .open)
    }
    #expect(rest == ["b": 2, "c": 3])
    await #expect(throws: StoreError.notFound(.metacounter)) {
      try await fixture.store.write { try $0.removeMetacounter("a", ofChannel: "lobby", .open) }
    }
    await #expect(throws: StoreError.notFound(.metacounter)) {
      try await fixture.store.read { try $0.metacounter("a", ofChannel: "lobby", .open) }
    }
    let left = try await fixture.store.write { transaction in
      _ = try transaction.deleteChannel("lobby", at: 9)
      return try transaction.connection.first("SELECT count(*) FROM metacounters", []) {
        $0[0] as Int
      }
    }
    #expect(left == 0)
    await #expect(throws: StoreError.notFound(.channel)) {
      try await fixture.store.write { try $0.removeAllMetacounters(ofChannel: "lobby", .open) }
    }
  }

  @Test("canonically equivalent spellings of a key name one counter")
  func comparesCanonically() async throws {
    let fixture = try await Fixture()
    let (counters, count, rest) = try await fixture.store.write { transaction in
      _ = try transaction.insertMetacounters(["caf\u{E9}": 1], ofChannel: "lobby", .open)
      _ = try transaction.updateMetacounters(
        ["cafe\u{301}": 2], ofChannel: "lobby", .open, .increase)
      let counters = try transaction.metacounters(ofChannel: "lobby", .open)
      let count = try transaction.connection.first("SELECT count(*) FROM metacounters", []) {
        $0[0] as Int
      }
      try transaction.removeMetacounter("cafe\u{301}", ofChannel: "lobby", .open)
      return (counters, count, try transaction.metacounters(ofChannel: "lobby", .open))
    }
    #expect(counters == ["caf\u{E9}": 3])
    #expect(count == 1)
    #expect(rest == [:])
  }

  @Test("removing all counters leaves none")
  func removesAll() async throws {
    let fixture = try await Fixture()
    let rest = try await fixture.store.write { transaction in
      _ = try transaction.insertMetacounters(["a": 1, "b": 2], ofChannel: "lobby", .open)
      try transaction.removeAllMetacounters(ofChannel: "lobby", .open)
      return try transaction.metacounters(ofChannel: "lobby", .open)
    }
    #expect(rest == [:])
  }

  @Test("a channel of the other kind has no counters")
  func otherKind() async throws {
    let fixture = try await Fixture()
    let missing = StoreError.notFound(.channel)
    await #expect(throws: missing) {
      try await fixture.store.read { try $0.metacounters(ofChannel: "lobby", .group) }
    }
    await #expect(throws: missing) {
      try await fixture.store.write {
        try $0.insertMetacounters(["a": 1], ofChannel: "lobby", .group)
      }
    }
    await #expect(throws: missing) {
      try await fixture.store.write { try $0.removeAllMetacounters(ofChannel: "lobby", .group) }
    }
  }
}
