import TestSupport
import Testing

@testable import Transport

@Suite("Address tally")
struct AddressTallyTests {
  private func key(_ host: String) throws -> AddressKey? {
    AddressKey(try #require(PeerAddress(host: host, port: 5)))
  }

  @Test("an IPv4 address counts alone, an IPv6 address by its /64, loopback not at all")
  func keys() throws {
    #expect(try key("192.0.2.1") != key("192.0.2.2"))
    #expect(try key("192.0.2.1") == key("::ffff:192.0.2.1"))
    #expect(try key("2001:db8::1") == key("2001:db8::ffff:1"))
    #expect(try key("2001:db8:0:1::1") != key("2001:db8:0:2::1"))
    for host in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
      #expect(try key(host) == nil, "\(host)")
    }
  }

  @Test("opening frees a slot for another unopened connection, ending frees a slot for any")
  func counts() throws {
    let one = try #require(try key("192.0.2.1"))
    var tally = AddressTally(AddressLimits(connections: 3, unopened: 2))
    #expect(tally.add(one) == nil)
    #expect(tally.add(one) == nil)
    #expect(tally.add(one) == .unopened(limit: 2))
    tally.open(one)
    #expect(tally.add(one) == nil)
    tally.open(one)
    #expect(tally.add(one) == .connections(limit: 3))
    #expect(tally.reopen(one) == nil)
    #expect(tally.reopen(one) == .unopened(limit: 2))
    tally.remove(one, isOpened: false)
    tally.remove(one, isOpened: false)
    tally.remove(one, isOpened: true)
    #expect(tally.addressCount == 0)
  }

  @Test("each address has its own limits, and 0 means unlimited")
  func apart() throws {
    let one = try #require(try key("192.0.2.1"))
    let other = try #require(try key("2001:db8::"))
    var tally = AddressTally(AddressLimits(connections: 0, unopened: 1))
    #expect(tally.add(one) == nil)
    #expect(tally.add(other) == nil)
    #expect(tally.add(one) != nil)
    var free = AddressTally(AddressLimits())
    #expect((0..<1000).allSatisfy { _ in free.add(one) == nil })
  }

  @Test("after any sequence the counts match a list of connections")
  func model() throws {
    var generator = SeededGenerator(seed: 41)
    let keys = try ["192.0.2.1", "192.0.2.2", "2001:db8::1"].compactMap { try key($0) }
    let limits = AddressLimits(connections: 6, unopened: 3)
    var tally = AddressTally(limits)
    var model: [(key: AddressKey, isOpened: Bool)] = []
    for _ in 0..<5000 {
      let key = try #require(keys.randomElement(using: &generator))
      let own = model.filter { $0.key == key }
      let unopened = own.filter { !$0.isOpened }.count
      switch Int.random(in: 0..<4, using: &generator) {
      case 0:
        let isRefused = own.count >= 6 || unopened >= 3
        #expect((tally.add(key) != nil) == isRefused)
        if !isRefused { model.append((key, false)) }
      case 1:
        guard let index = model.firstIndex(where: { $0.key == key && !$0.isOpened }) else {
          continue
        }
        tally.open(key)
        model[index].isOpened = true
      case 2:
        guard let index = model.firstIndex(where: { $0.key == key && $0.isOpened }) else {
          continue
        }
        let refusal = tally.reopen(key)
        #expect((refusal != nil) == (unopened >= 3))
        if refusal == nil { model[index].isOpened = false }
      default:
        guard let index = model.firstIndex(where: { $0.key == key }) else { continue }
        tally.remove(key, isOpened: model[index].isOpened)
        model.remove(at: index)
      }
      #expect(tally.addressCount == Set(model.map(\.key)).count)
    }
  }
}
