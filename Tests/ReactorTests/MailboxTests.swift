import Glibc
import TestSupport
import Testing

@testable import Reactor

@Suite("Mailbox", .onOwnThreads)
struct MailboxTests {
  @Test("items are taken all at once, in the order of posting")
  func keepsOrder() throws {
    let mailbox = try Mailbox<Int>()
    for number in 0..<100 { mailbox.post(number) }
    #expect(mailbox.count == 100)
    #expect(mailbox.takeAll(reusing: []) == Array(0..<100))
    #expect(mailbox.takeAll(reusing: []).isEmpty)
    mailbox.post(1)
    mailbox.post(together: [2, 3])
    #expect(mailbox.takeAll(reusing: []) == [1, 2, 3])
  }

  @Test("the descriptor is readable from the first post until it is acknowledged")
  func wakesTheReceiver() throws {
    let mailbox = try Mailbox<Int>()
    #expect(!isReadable(mailbox.descriptor))
    mailbox.post(1)
    mailbox.post(2)
    #expect(isReadable(mailbox.descriptor))
    mailbox.acknowledge()
    #expect(!isReadable(mailbox.descriptor))
    #expect(mailbox.takeAll(reusing: []) == [1, 2])
    mailbox.post(together: [3])
    #expect(isReadable(mailbox.descriptor))
  }

  @Test("an item posted after the acknowledgement wakes the receiver again, unless it was taken")
  func losesNoWakeUp() throws {
    let mailbox = try Mailbox<Int>()
    mailbox.post(1)
    mailbox.acknowledge()
    mailbox.post(2)
    #expect(mailbox.takeAll(reusing: []) == [1, 2])
    mailbox.post(3)
    #expect(isReadable(mailbox.descriptor))
  }

  @Test("enqueued items wake the receiver on wakeReceiver, and an empty mailbox does not")
  func gathersItems() throws {
    let mailbox = try Mailbox<Int>()
    mailbox.wakeReceiver()
    #expect(!isReadable(mailbox.descriptor))
    mailbox.enqueue(1)
    mailbox.enqueue(2)
    #expect(!isReadable(mailbox.descriptor))
    mailbox.wakeReceiver()
    #expect(isReadable(mailbox.descriptor))
    mailbox.acknowledge()
    #expect(mailbox.takeAll(reusing: []) == [1, 2])
  }

  @Test("an item posted after enqueued ones wakes the receiver at once")
  func wakesBehindWhatIsLeft() throws {
    let mailbox = try Mailbox<Int>()
    mailbox.enqueue(1)
    mailbox.post(2)
    #expect(isReadable(mailbox.descriptor))
    mailbox.acknowledge()
    mailbox.wakeReceiver()
    #expect(!isReadable(mailbox.descriptor))
    #expect(mailbox.takeAll(reusing: []) == [1, 2])
    mailbox.enqueue(3)
    mailbox.wakeReceiver()
    #expect(isReadable(mailbox.descriptor))
  }

  @Test("the items of each of several senders arrive complete and in order")
  func takesFromManyThreads() throws {
    let senders = 4
    let each = 2000
    let mailbox = try Mailbox<(sender: Int, number: Int)>()
    let threads = try (0..<senders).map { sender in
      try Reactor.Thread(name: "sender-\(sender)") {
        for number in 0..<each { mailbox.post((sender, number)) }
      }
    }
    var received = [Int](repeating: 0, count: senders)
    var spare: [(sender: Int, number: Int)] = []
    while received.reduce(0, +) < senders * each {
      try Deadline.standard.wait(for: "an item", on: mailbox.descriptor)
      mailbox.acknowledge()
      spare = mailbox.takeAll(reusing: spare)
      for (sender, number) in spare {
        #expect(received[sender] == number)
        received[sender] += 1
      }
      spare.removeAll(keepingCapacity: true)
    }
    for thread in threads { thread.join() }
    #expect(mailbox.count == 0)
  }

  private func isReadable(_ descriptor: Int32) -> Bool {
    var target = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&target, 1, 0) == 1
  }
}
