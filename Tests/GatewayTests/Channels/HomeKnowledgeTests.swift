import Testing

@testable import Gateway

struct HomeKnowledgeTests {
  @Test
  func `A channel that another server has taken over is left alone for a second`() {
    var knowledge = HomeKnowledge()
    knowledge.fence("a", at: 5_000)
    #expect(knowledge.isFenced("a", at: 5_999) && !knowledge.isFenced("b", at: 5_000))
    #expect(!knowledge.isFenced("a", at: 6_000))
    knowledge.removeOldFences(at: 5_999)
    #expect(knowledge.isFenced("a", at: 5_999))
    knowledge.removeOldFences(at: 6_000)
    #expect(!knowledge.isFenced("a", at: 5_999))
  }

  @Test
  func `Of one life of a channel's count the last event is kept, and another life replaces it`() {
    var knowledge = HomeKnowledge()
    knowledge.note(KnownEvent(epoch: "e", seq: 7), of: "a")
    knowledge.note(KnownEvent(epoch: "e", seq: 5), of: "a")
    #expect(knowledge.event(of: "a")?.seq == 7)
    knowledge.note(KnownEvent(epoch: "e", seq: 8), of: "a")
    #expect(knowledge.event(of: "a")?.seq == 8)
    knowledge.note(KnownEvent(epoch: "f", seq: 2), of: "a")
    #expect(knowledge.event(of: "a")?.epoch == "f" && knowledge.event(of: "a")?.seq == 2)
  }

  @Test
  func `Events are forgotten with their channel, or when it is at home elsewhere`() {
    var knowledge = HomeKnowledge()
    for url in ["a", "b", "c"] { knowledge.note(KnownEvent(epoch: "e", seq: 1), of: url) }
    knowledge.forgetEvent(of: "a")
    knowledge.keepEvents { $0 == "c" }
    #expect(knowledge.eventCount == 1 && knowledge.event(of: "c") != nil)
  }
}
