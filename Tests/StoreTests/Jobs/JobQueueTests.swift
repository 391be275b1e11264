import Dispatch
import Testing

@testable import Store
import Reactor
import TestSupport

@Suite("The job queue", .onOwnThreads)
struct JobQueueTests {
  @Test("jobs are taken in the order of submission, across refills")
  func keepsOrder() {
    let queue = JobQueue<Int>(capacity: 100)
    for job in 0..<10 { #expect(queue.submit(job) == .accepted) }
    #expect(taken(queue, 4) == [0, 1, 2, 3])
    for job in 10..<15 { #expect(queue.submit(job) == .accepted) }
    #expect(queue.count == 11)
    #expect(taken(queue, 100) == Array(4..<15))
    #expect(queue.count == 0)
  }

  @Test("the taker chooses how many jobs it takes, given the number waiting")
  func leavesChoice() {
    let queue = JobQueue<Int>(capacity: 10)
    #expect(queue.submit([1, 2, 3, 4]) == (4, .accepted))
    #expect(queue.submitPrompt(5) == .accepted)
    guard case .jobs(let jobs) = queue.take(upTo: { $0 - 2 }, timeout: nil) else {
      Issue.record("nothing was taken")
      return
    }
    #expect(jobs == [5, 1, 2])
    #expect(taken(queue, 10) == [3, 4])
  }

  @Test("prompt jobs fill half of the batch, and more when there are no others")
  func sharesWithPromptJobs() {
    let queue = JobQueue<Int>(capacity: 10)
    #expect(queue.submit([1, 2, 3, 4]) == (4, .accepted))
    for job in 5...8 { #expect(queue.submitPrompt(job) == .accepted) }
    #expect(taken(queue, 4) == [5, 6, 1, 2])
    #expect(taken(queue, 4) == [7, 8, 3, 4])
    for job in 5...8 { #expect(queue.submitPrompt(job) == .accepted) }
    #expect(taken(queue, 4) == [5, 6, 7, 8])
  }

  @Test("a full queue refuses jobs until some are taken")
  func isBounded() {
    let queue = JobQueue<Int>(capacity: 2)
    #expect(queue.submit(1) == .accepted)
    #expect(queue.submit(2) == .accepted)
    #expect(queue.submit(3) == .overloaded)
    #expect(taken(queue, 1) == [1])
    #expect(queue.submit(3) == .accepted)
  }

  @Test("jobs submitted together are queued in sequence, as many as there is room for")
  func takesMany() {
    let queue = JobQueue<Int>(capacity: 4)
    #expect(queue.submit([1, 2, 3]) == (3, .accepted))
    #expect(queue.submit([4, 5, 6]) == (1, .overloaded))
    #expect(queue.submit([Int]()) == (0, .accepted))
    #expect(taken(queue, 10) == [1, 2, 3, 4])
    queue.close()
    #expect(queue.submit([7]) == (0, .closed))
  }

  @Test("a waiting taker is woken by jobs that are submitted together")
  func wakesForMany() throws {
    let queue = JobQueue<Int>(capacity: 10_000)
    let sum = Counter()
    let thread = try Reactor.Thread(name: "taker") {
      while case .jobs(let jobs) = queue.take(upTo: 100) { jobs.forEach(sum.add) }
    }
    for first in stride(from: 1, through: 991, by: 10) {
      _ = queue.submit(Array(first..<(first + 10)))
    }
    queue.close()
    thread.join()
    #expect(sum.total == 500_500)
  }

  @Test("a closed queue still returns its remaining jobs, then ends")
  func drains() {
    let queue = JobQueue<Int>(capacity: 10)
    #expect(queue.submit(1) == .accepted)
    queue.close()
    #expect(queue.submit(2) == .closed)
    #expect(taken(queue, 10) == [1])
    guard case .end = queue.take(upTo: 10) else {
      Issue.record("the queue did not end")
      return
    }
  }

  @Test("a wait ends without jobs at its time limit")
  func timesOut() {
    let queue = JobQueue<Int>(capacity: 10)
    guard case .nothing = queue.take(upTo: 1, timeout: .milliseconds(1)) else {
      Issue.record("something arrived")
      return
    }
    #expect(queue.submit(1) == .accepted)
    #expect(taken(queue, 1) == [1])
  }

  @Test("every job reaches exactly one of several takers")
  func sharesOut() throws {
    let queue = JobQueue<Int>(capacity: 10_000)
    let sums = (0..<3).map { _ in Counter() }
    let threads = try sums.map { sum in
      try Reactor.Thread(name: "taker") {
        while case .jobs(let jobs) = queue.take(upTo: 2) { jobs.forEach(sum.add) }
      }
    }
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for job in 1...1_000 { _ = queue.submit(job) }
    }
    queue.close()
    threads.forEach { $0.join() }
    #expect(sums.map(\.total).reduce(0, +) == 4 * 500_500)
  }

  private func taken(_ queue: JobQueue<Int>, _ limit: Int) -> [Int] {
    guard case .jobs(let jobs) = queue.take(upTo: limit, timeout: .seconds(60)) else { return [] }
    return jobs
  }
}
