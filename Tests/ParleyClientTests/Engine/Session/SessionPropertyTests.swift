import ParleyProtocol
import TestSupport
import Testing

@testable import ParleyClient

@Suite("A session over an unreliable network")
struct SessionPropertyTests {
  @Test("every identified send is accepted once and in order, every event delivered once")
  func exactlyOnce() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SeededGenerator(seed: seed)
    for round in 0..<60 {
      let seed = generator.next()
      var network = try ModelNetwork(SeededGenerator(seed: seed))
      for _ in 0..<Int.random(in: 50...1500, using: &generator) { try network.step() }
      try network.settle()
      try check(network, "round \(round), seed \(seed)")
    }
  }

  private func check(_ network: ModelNetwork, _ comment: Comment) throws {
    let accepted = network.server.log.filter { $0.user == "jeff" }
    #expect(accepted.map(\.requestID) == network.sends.map(\.requestID), comment)
    for (send, entry) in zip(network.sends, accepted) {
      let result = try #require(network.results[send.id], comment)
      let root = try JSONDocument(try result.get()).root
      #expect(root["seq"]?.integer == entry.seq, comment)
    }
    #expect(network.gapCount == 0, comment)
    // From the first event on, all of the others' and none of the user's own.
    let seqs = network.delivered.map(\.seq)
    #expect(network.delivered.allSatisfy { $0.user == "ann" }, comment)
    #expect(seqs == seqs.sorted(), comment)
    let first = seqs.first ?? .max
    let published = network.server.log.filter { $0.user == "ann" && $0.seq >= first }.map(\.seq)
    #expect(seqs == published, comment)
  }
}
