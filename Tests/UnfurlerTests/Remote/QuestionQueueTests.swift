import LinkPreview
import Testing

@testable import Unfurler

@Suite("Question queue")
struct QuestionQueueTests {
  private func queue(_ count: UInt64, maximumActive: Int) throws -> QuestionQueue {
    var queue = QuestionQueue(maximumActive: maximumActive)
    let link = try #require(Link("https://example.com/"))
    for id in 0..<count {
      queue.append(RemoteQuestion(id: id, link: link, deadline: .now, completion: { _ in }))
    }
    return queue
  }

  private func startAll(_ queue: inout QuestionQueue) -> [UInt64] {
    var ids: [UInt64] = []
    while let question = queue.start() { ids.append(question.id) }
    return ids
  }

  @Test("the first that came is asked first, and only so many at a time")
  func order() throws {
    var queue = try queue(5, maximumActive: 2)
    #expect(startAll(&queue) == [0, 1])
    #expect(queue.waitingCount == 3)
    queue.finish()
    #expect(startAll(&queue) == [2])
  }

  @Test("a question that is taken out is not asked")
  func removal() throws {
    var queue = try queue(1_000, maximumActive: 1_000)
    #expect(queue.removeWaiting(1)?.id == 1)
    #expect(queue.removeWaiting(1) == nil)
    #expect(queue.removeWaiting { $0.id > 5 }.map(\.id) == Array(6..<1_000))
    #expect(queue.waitingCount == 5)
    #expect(startAll(&queue) == [0, 2, 3, 4, 5])
    #expect(queue.waitingCount == 0)
  }
}
